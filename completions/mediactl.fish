function __mediactl_candidates
    set --local words (commandline --current-process --tokenize --cut-at-cursor)
    COMPLETE=fish mediactl -- $words "$(commandline --current-token --cut-at-cursor)" 2>/dev/null
end
complete --command mediactl --no-files --keep-order --arguments '(__mediactl_candidates)'
