//! Why a GitOpsCluster reaches a cluster or not.

use crate::delivery::row::Row;
use crate::delivery::why::study::Study;
use crate::why::Verdict;

impl<'a> Study<'_, 'a> {
    pub(in crate::delivery) fn gitops(
        &self,
        row: &Row<'a>,
        number: u32,
        chosen: bool,
    ) -> Vec<Verdict> {
        let mut verdicts: Vec<Verdict> = Vec::new();
        if let Some(error) = &row.error {
            let mut gitops = self.model.gitops.iter();
            let consumer = gitops.find(|one| one.id == row.id);
            let place = consumer.map_or(row.id.place, |one| one.placement.place);
            verdicts.push(Verdict::new("reference", false, error).at(place, ""));
        }
        let mut ways = row.via.iter();
        let given = ways.any(|via| via.clusters.contains(number as usize));
        verdicts.extend(self.ways(row, number, chosen || given));
        if given && !chosen && row.error.is_none() {
            let reason = "there is no ManagedCluster of that name to register";
            verdicts.push(Verdict::new("registration", false, reason));
        }
        verdicts
    }
}
