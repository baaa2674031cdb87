-- Starts the language server for the configuration of a media server.
local server = { name = 'mediactl', cmd = { 'mediactl', 'lsp' } }
server.root_dir = vim.fn.expand('%:p:h')

if vim.lsp.start then
  vim.lsp.start(server)
else
  -- Neovim before 0.8. One server is enough for all files.
  vim.g.mediactl_client = vim.g.mediactl_client or vim.lsp.start_client(server)
  vim.lsp.buf_attach_client(0, vim.g.mediactl_client)
end
vim.bo.omnifunc = 'v:lua.vim.lsp.omnifunc'
