" The configuration of a media server: by its name, and the drafts of `mediactl edit`.
autocmd BufNewFile,BufRead media.conf,*mediactl*/draft-*.conf setfiletype mediaconf
