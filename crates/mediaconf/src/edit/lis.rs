//! The longest increasing subsequence: the elements that can stay in place when an order changes.

/// Returns the indices of a longest increasing subsequence (patience sorting).
pub fn longest_increasing_subsequence(values: &[usize]) -> Vec<usize> {
    if values.is_sorted_by(|one, next| one < next) {
        return (0..values.len()).collect();
    }
    let mut tails: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = vec![None; values.len()];
    for (index, &value) in values.iter().enumerate() {
        let length = tails.partition_point(|&tail| values[tail] < value);
        previous[index] = length.checked_sub(1).map(|before| tails[before]);
        if length == tails.len() {
            tails.push(index);
        } else {
            tails[length] = index;
        }
    }
    let mut run: Vec<usize> =
        std::iter::successors(tails.last().copied(), |&index| previous[index]).collect();
    run.reverse();
    run
}
