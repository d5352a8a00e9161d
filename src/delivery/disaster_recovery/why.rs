//! Why a DRPlacementControl reaches a cluster or not.

use crate::delivery::row::Row;
use crate::delivery::why::study::Study;
use crate::why::Verdict;

impl<'a> Study<'_, 'a> {
    pub(in crate::delivery) fn control(&self, row: &Row<'a>, number: u32) -> Vec<Verdict> {
        if let Some(error) = &row.error {
            return vec![Verdict::new("reference", false, error).at(row.id.place, "")];
        }
        let mut controls = self.model.controls.iter();
        let control = controls.find(|one| one.id == row.id);
        let target = control.map(|control| {
            let cluster = self.deliveries.ground.names.name(number);
            // Where Ramen puts the workload.
            let (field, target) = match control.action.text {
                "Failover" => ("failoverCluster", control.failover),
                _ => ("preferredCluster", control.preferred),
            };
            let reason = format!("`{field}` is {}", target.text);
            Verdict::new("target", target.text == cluster, reason).at(target.place, "")
        });
        target.into_iter().collect()
    }
}
