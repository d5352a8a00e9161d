//! The order in which yaml.v3 writes the keys of a mapping: numbers in them count as numbers, and
//! letters come after other characters, but before them behind a digit.

use std::cmp::Ordering;

pub(super) fn compare(one: &str, other: &str) -> Ordering {
    let (ours, theirs): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let differs = ours.iter().zip(&theirs).position(|(a, b)| a != b);
    let Some(at) = differs else {
        return ours.len().cmp(&theirs.len());
    };
    let (a, b) = (ours[at], theirs[at]);
    match (a.is_alphabetic(), b.is_alphabetic()) {
        (true, true) => a.cmp(&b),
        (false, false) => {
            let digits_before = || {
                ours[..at]
                    .iter()
                    .rev()
                    .take_while(|digit| digit.is_ascii_digit())
            };
            let counts_zeros = (a == '0' || b == '0') && digits_before().any(|digit| *digit != '0');
            let number = |text: &[char]| {
                let digits = text[at..].iter().map_while(|digit| digit.to_digit(10));
                let start = (i64::from(counts_zeros), 0);
                digits.fold(start, |(value, length), digit| {
                    let value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
                    (value, length + 1)
                })
            };
            number(&ours).cmp(&number(&theirs)).then(a.cmp(&b))
        }
        (a_is_letter, _) => {
            let behind_digit = at > 0 && ours[at - 1].is_numeric();
            if behind_digit == a_is_letter {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::compare;

    #[test]
    fn numbers_count_and_letters_come_late() {
        let sorted = ["1", "A", "a", "a-b", "a2", "a2c", "a2-", "a10", "ab", "b"];
        let mut keys = sorted;
        keys.reverse();
        keys.sort_by(|one, other| compare(one, other));
        assert_eq!(keys, sorted);
    }
}
