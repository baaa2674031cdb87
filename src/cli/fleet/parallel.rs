//! Work on many things in threads.

use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does `work` on each item in at most `jobs` threads; the results are in the order of the items. `report` is
/// called as each result comes. Items that were not begun when `goes_on` became false have none.
pub fn in_parallel<I: Send, T: Send>(
    items: impl Iterator<Item = I> + Send,
    (count, jobs): (usize, usize),
    goes_on: &(dyn Fn() -> bool + Sync),
    work: impl Fn(I) -> T + Sync,
    mut report: impl FnMut(),
) -> Vec<Option<T>> {
    let mut found: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let queue = Mutex::new(items.enumerate());
    let (sender, results) = channel();
    thread::scope(|scope| {
        for _ in 0..jobs.min(count) {
            let (sender, queue, work) = (sender.clone(), &queue, &work);
            scope.spawn(move || {
                while goes_on() {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((at, item)) = next else { return };
                    if sender.send((at, work(item))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (at, result) in results {
            report();
            found[at] = Some(result);
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items_and_no_more_threads_work_than_allowed() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |number: usize| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::yield_now();
            now.fetch_sub(1, Ordering::SeqCst);
            number * 2
        };
        let mut heard = 0;
        let found = in_parallel(0..100, (100, 4), &|| true, work, || heard += 1);
        assert_eq!(found, (0..100).map(|number| Some(number * 2)).collect::<Vec<_>>());
        assert!(most.into_inner() <= 4 && heard == 100);
    }

    #[test]
    fn what_was_not_begun_has_no_result() {
        let done = AtomicUsize::new(0);
        let goes_on = || done.load(Ordering::SeqCst) < 3;
        let found = in_parallel(0..10, (10, 1), &goes_on, |_| done.fetch_add(1, Ordering::SeqCst), || ());
        assert_eq!(found.iter().flatten().count(), 3);
        assert_eq!(found[3], None);
    }
}
