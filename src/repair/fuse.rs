//! One ranking out of several.

/// Reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009): an item scores the sum of `1 / (60 + rank)` over the
/// rankings that hold it. Of equal scores, the item of the earlier ranking stands first.
pub fn fuse<T: Clone + PartialEq>(rankings: &[Vec<T>]) -> Vec<T> {
    const K: usize = 60;
    let mut scored: Vec<(T, f64)> = Vec::new();
    for ranking in rankings {
        for (at, item) in ranking.iter().enumerate() {
            // Ranks are small numbers: exact in f64.
            #[allow(clippy::cast_precision_loss)]
            let score = 1.0 / (K + at + 1) as f64;
            match scored.iter_mut().find(|(other, _)| other == item) {
                Some((_, sum)) => *sum += score,
                None => scored.push((item.clone(), score)),
            }
        }
    }
    scored.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    scored.into_iter().map(|(item, _)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_rankings_name_wins() {
        let fused = fuse(&[vec!["a", "b", "c"], vec!["d", "b"]]);
        assert_eq!(fused, ["b", "a", "d", "c"]);
    }

    #[test]
    fn nothing_in_nothing_out() {
        assert!(fuse::<u8>(&[]).is_empty());
        assert!(fuse::<u8>(&[vec![], vec![]]).is_empty());
    }
}
