complete --keep-order --exclusive --command mediactl --arguments "(COMPLETE=fish mediactl -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
