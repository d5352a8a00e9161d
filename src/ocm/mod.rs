//! Open Cluster Management: Placement, decisions, rollout.
