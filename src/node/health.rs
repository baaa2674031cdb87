//! The health of the media server of a node, by the command of `serve --health-cmd`.

use std::time::Duration;

use super::member::Node;
use crate::engine::{LogLevel, Trouble, hook_output};
use crate::store::NodeState;
use crate::store::boot_time::boot_time;

/// The pause between two runs of the command while the node takes a change before the others, or is not healthy.
const PAUSE: Duration = Duration::from_secs(5);

impl Node {
    /// Runs the health command after a reload, and again and again where that is needed; notes how it went.
    pub(super) fn check_health(&self) {
        let Some(command) = &self.settings.health else { return };
        let standing = self.standing();
        let runs = standing.followed.runs.as_ref().map(|runs| runs.revision);
        let is_new = runs.is_some() && standing.checked.as_ref().is_none_or(|(of, _)| Some(*of) != runs);
        let is_watched = standing.soaks.is_some() || standing.unhealthy.is_some();
        let is_due = standing.checked.is_some_and(|(_, at)| boot_time() >= at + PAUSE);
        drop(standing);
        let Some(runs) = runs.filter(|_| is_new || (is_watched && is_due)) else { return };
        let found =
            hook_output(command, &[("MEDIACTL_NODE", &self.settings.name)], self.local.hooks().timeout);
        let mut standing = self.standing();
        standing.checked = Some((runs, boot_time()));
        let is_known = standing.unhealthy.is_some();
        standing.unhealthy = found.err().map(|failure| Trouble::new(format!("the health command {failure}")));
        if let Some(why) = standing.unhealthy.clone() {
            standing.turn(NodeState::Failed, Some(why.clone()));
            drop(standing);
            if !is_known {
                self.local.tell(LogLevel::Error, &format!("this node is not healthy: {}", why.brief));
            }
        } else if is_known {
            let first = standing.soaks.as_ref().map(|(change, _)| change.clone());
            standing.turn_running(first.as_deref());
        }
    }
}
