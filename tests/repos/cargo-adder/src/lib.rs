//! Adds what stands on a line.

/// The sum of the numbers in `text`; words that are no numbers count nothing.
pub fn sum(text: &str) -> i64 {
    text.split_whitespace()
        .filter_map(|word| word.parse::<i64>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn words_count_nothing() {
        assert_eq!(sum("1 plus 2"), 3);
    }
}
