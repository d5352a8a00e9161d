-- The language server and Neovim: diagnostics with places, a fix applied to the buffer, hover, lens,
-- definition, quick changes, a cancelled question, another name for a file, the end.
local home, program = vim.env.PLANNER_SITE, vim.env.PLANNER_BIN

local function fail(text)
  io.stderr:write('nvim: ' .. text .. '\n')
  vim.cmd('cquit 1')
end

local function await(what, holds)
  if not vim.wait(30000, holds, 20) then
    fail('not in time: ' .. what)
  end
end

local function check(holds, what)
  if not holds then
    fail(what)
  end
end

local function main()
  vim.cmd('edit ' .. home .. '/site.yaml')
  local buffer = vim.api.nvim_get_current_buf()
  local id = vim.lsp.start_client({
    cmd = { program, 'lsp', '--now', '2026-01-01T00:00:00Z' },
    root_dir = home,
    workspace_folders = { { uri = vim.uri_from_fname(home), name = 'site' } },
  })
  vim.lsp.buf_attach_client(buffer, id)
  local client
  await('the server', function()
    client = vim.lsp.get_client_by_id(id)
    return client and client.initialized
  end)
  await('diagnostics', function() return #vim.diagnostic.get(buffer) == 1 end)
  local found = vim.diagnostic.get(buffer)[1]
  check(found.code == 'schema::type', vim.inspect(found))
  local line = vim.api.nvim_buf_get_lines(buffer, found.lnum, found.lnum + 1, true)[1]
  check(line:sub(found.col + 1, found.end_col) == 'yes', 'the place of the finding: ' .. vim.inspect(found))

  local function ask(method, params)
    local answer
    vim.lsp.buf_request(0, method, params, function(error, result)
      answer = { error = error, result = result }
    end)
    await(method, function() return answer end)
    check(not answer.error, method .. ': ' .. vim.inspect(answer.error))
    return answer.result
  end
  local function at(part)
    local row = vim.fn.search(part, 'w')
    check(row > 0, 'no ' .. part)
    return vim.lsp.util.make_position_params(0, client.offset_encoding)
  end

  vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col })
  local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
  params.context = { diagnostics = { found.user_data.lsp } }
  local fix
  for _, action in ipairs(ask('textDocument/codeAction', params)) do
    fix = fix or (action.isPreferred and action)
  end
  check(fix, 'no preferred fix')
  vim.lsp.util.apply_workspace_edit(fix.edit, client.offset_encoding)
  line = vim.api.nvim_buf_get_lines(buffer, found.lnum, found.lnum + 1, true)[1]
  check(line:find('up: "yes"', 1, true), 'after the fix: ' .. line)
  await('no diagnostics', function() return #vim.diagnostic.get(buffer) == 0 end)

  vim.cmd('silent write')
  vim.cmd('edit ' .. home .. '/shop.yaml')
  vim.lsp.buf_attach_client(0, id)
  local hover = ask('textDocument/hover', at('web}'))
  check(hover.contents.value:find('shop/web: oslo', 1, true), vim.inspect(hover))
  local defined = ask('textDocument/definition', at('retail'))
  check(defined[1].uri == vim.uri_from_fname(home .. '/site.yaml'), vim.inspect(defined))
  local document = { textDocument = vim.lsp.util.make_text_document_params() }
  local lenses = ask('textDocument/codeLens', document)
  check(lenses[1].command.title:find('→ oslo (lowest cost (5))', 1, true), vim.inspect(lenses))

  -- Two quick changes: only the last is shown, and a question in between may be cancelled.
  local versions = {}
  local shown = vim.lsp.handlers['textDocument/publishDiagnostics']
  client.handlers['textDocument/publishDiagnostics'] = function(error, result, context, config)
    if result.uri == vim.uri_from_bufnr(0) then
      table.insert(versions, result.version)
    end
    shown(error, result, context, config)
  end
  local text = vim.api.nvim_buf_get_lines(0, 0, -1, true)
  vim.api.nvim_buf_set_lines(0, -1, -1, true, { '# one' })
  -- An answer may be under way already when its question is cancelled; not all of them are.
  local asked, answered = 20, 0
  for _ = 1, asked do
    local _, question = client.request('textDocument/documentSymbol', document, function(_, result)
      answered = answered + (result and 1 or 0)
    end, 0)
    client.cancel_request(question)
  end
  vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.list_extend({ 'kind: [' }, text))
  local last = vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()]
  await('the last change', function() return versions[#versions] == last end)
  check(#versions == 1, 'versions: ' .. vim.inspect(versions))
  check(#vim.diagnostic.get(0) > 0, 'a broken text without diagnostics')
  -- Neovim drops the refusal of a question that it cancelled.
  check(answered < asked, 'every cancelled question is answered')
  vim.api.nvim_buf_set_lines(0, 0, -1, true, text)
  await('no diagnostics', function() return #vim.diagnostic.get(0) == 0 end)

  -- Another name for a file: Neovim does not watch, so the server looks when it is saved.
  assert(os.rename(home .. '/shop.yaml', home .. '/moved.yaml'))
  vim.cmd('bdelete!')
  vim.cmd('edit ' .. home .. '/moved.yaml')
  vim.lsp.buf_attach_client(0, id)
  vim.cmd('silent write')
  await('the new name', function()
    local names = ask('workspace/symbol', { query = 'web' })
    return #names == 1 and names[1].location.uri == vim.uri_from_fname(home .. '/moved.yaml')
  end)

  vim.lsp.stop_client(id)
  await('the end', function() return vim.lsp.client_is_stopped(id) end)

  -- A server that is killed is one that has ended.
  local other = vim.lsp.start_client({ cmd = { program, 'lsp' }, root_dir = home })
  await('another server', function()
    local started = vim.lsp.get_client_by_id(other)
    return started and started.initialized
  end)
  vim.lsp.get_client_by_id(other).stop(true)
  await('the end by force', function() return vim.lsp.client_is_stopped(other) end)
  io.stdout:write('nvim: passed\n')
  vim.cmd('qall!')
end

local done, error = pcall(main)
if not done then
  fail(error)
end
