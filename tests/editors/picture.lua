-- A site in Neovim as `picture` takes it: a finding, lenses and a hover.
local home = vim.env.PLANNER_SITE
vim.o.number = true
vim.o.signcolumn = 'no'
vim.o.laststatus = 0
vim.o.ruler = false
vim.o.showmode = false
vim.o.background = 'dark'
vim.cmd('highlight NormalFloat ctermfg=252 ctermbg=237')
vim.cmd('highlight LspCodeLens ctermfg=109')
vim.diagnostic.config({ virtual_text = { prefix = '■' }, signs = false })
vim.cmd('edit ' .. home .. '/hub/placements.yaml')
local buffer = vim.api.nvim_get_current_buf()
local id = vim.lsp.start_client({
  cmd = { vim.env.PLANNER_BIN, 'lsp', '--now', '2026-01-01T00:00:00Z' },
  root_dir = home,
  workspace_folders = { { uri = vim.uri_from_fname(home), name = 'site' } },
})
vim.lsp.buf_attach_client(buffer, id)
vim.wait(20000, function() return #vim.diagnostic.get(buffer) > 0 end, 20)
vim.lsp.codelens.refresh()
vim.wait(5000, function() return #vim.lsp.codelens.get(buffer) > 0 end, 20)
vim.defer_fn(function()
  vim.fn.search('level-1')
  vim.lsp.buf.hover()
end, 700)
