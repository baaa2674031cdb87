" Settings for the configuration of a media server.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

compiler mediactl
setlocal foldmethod=marker foldmarker={,} foldlevel=99
setlocal commentstring=#\ %s comments=:# expandtab shiftwidth=2 softtabstop=2
let b:undo_ftplugin = 'setlocal foldmethod< foldmarker< foldlevel< commentstring< comments< expandtab< shiftwidth< softtabstop< makeprg< errorformat<'
