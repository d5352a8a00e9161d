//! Airship: deployment groups, their order and the simulated run.
