// SPDX-License-Identifier: MIT
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Import } from '../../../lib/api-types.ts'
import { forgetTextsOfOthers, hasKeptTexts } from '../../../lib/kept-texts.ts'
import { type Handlers, json, problem } from '../../../test/fake-api.ts'
import { renderApp } from '../../../test/render-app.tsx'
import { config, knownImports, page, version } from '../../../test/samples.ts'
import { soon } from '../../../test/soon.ts'

const at = (line: number, directive: string) => ({
  ...{ file: '/etc/nginx/nginx.conf', line, column: 3, directive },
})
const imported: Import = {
  draft: '{ "sites": [] }\n',
  ...{ ok: true, errors: [], report: '# From nginx\n' },
  gains: [{ code: 'history', text: 'Every version is kept.' }],
  findings: [
    { ...at(2, 'listen 80'), verdict: 'taken', notes: [] },
    { ...at(3, 'root /srv'), verdict: 'taken', notes: [] },
    {
      ...{ ...at(4, 'lua_code off'), verdict: 'unsupported' },
      notes: [{ code: 'unknown', text: 'Keep that host.' }],
    },
  ],
}

const TEXT = 'server {\n  listen 80;\n  root /srv;\n  lua_code off;\n}\n'

async function open(answers: Handlers = {}) {
  const api = renderApp('/import', {
    'GET /imports': () => json(knownImports),
    'POST /imports': () => json(imported),
    'GET /configs': () => json(page(config({ draftChanged: true }))),
    ...answers,
  })
  const user = userEvent.setup()
  const folder = await screen.findByLabelText('Folder of the config', {}, soon)
  const choose = async (files: Record<string, string>) => {
    const chosen = Object.entries(files).map(([name, text]) => {
      const file = new File([text], name.slice(name.lastIndexOf('/') + 1))
      return Object.defineProperty(file, 'webkitRelativePath', { value: name })
    })
    fireEvent.change(folder, { target: { files: chosen } })
    await screen.findByText(/^\d+ files? with/, {}, soon)
  }
  const press = (name: string | RegExp) => user.click(screen.getByRole('button', { name }))
  const sent = () => api.requests.filter(({ method }) => method === 'POST').map(({ body }) => body)
  return { api, user, choose, press, sent }
}

beforeEach(() => sessionStorage.clear())

describe('an import', () => {
  test('reads a folder by its files’ names, and shows what was lost first', async () => {
    const { choose, press, sent, user } = await open()
    expect(screen.getByRole('button', { name: 'Import' })).toBeDisabled()
    await choose({ 'nginx/nginx.conf': TEXT, 'nginx/a.key': '-----BEGIN PRIVATE KEY-----' })
    expect(screen.getByText('1 file left out, which stay on this computer')).toBeVisible()
    await press('Import')
    const table = await screen.findByRole('region', { name: 'Directives, table' }, soon)
    expect(sent()).toEqual([
      {
        ...{ language: 'nginx', main: ['/etc/nginx/nginx.conf'] },
        files: [{ path: '/etc/nginx/nginx.conf', text: TEXT }],
      },
    ])
    expect(within(table).getByText('Keep that host.')).toBeVisible()
    expect(within(table).queryByText('listen 80')).toBeNull()
    expect(screen.getByText('Every version is kept.')).toBeVisible()
    await user.click(screen.getByRole('radio', { name: 'Taken over: 2' }))
    expect(await screen.findByText('listen 80')).toBeVisible()
    await user.type(screen.getByRole('textbox', { name: 'Find in this list' }), 'root')
    await waitFor(() => expect(screen.queryByText('listen 80')).toBeNull())
    expect(window.location.search).toBe('?show=taken&q=root')
    expect(screen.getByText('1 directive found.')).toBeVisible()
  })

  test('is there again after a reload, and gone when one begins anew', async () => {
    const { choose, press } = await open()
    await choose({ 'nginx/nginx.conf': TEXT })
    await press('Import')
    await screen.findByText('Keep that host.', {}, soon)
    document.body.replaceChildren()
    const again = await open()
    expect(await screen.findByText('Keep that host.', {}, soon)).toBeVisible()
    await again.press('Begin anew')
    expect(screen.queryByText('Keep that host.')).toBeNull()
    expect(Object.keys(sessionStorage).filter((key) => key.includes('import'))).toEqual([])
  })

  test('is nobody else’s, and not asked after when its owner signs out', async () => {
    const { choose } = await open()
    await choose({ 'nginx/nginx.conf': TEXT })
    const kept = () => Object.keys(sessionStorage).filter((key) => key.endsWith('./import'))
    expect([kept().length, hasKeptTexts()]).toEqual([1, false])
    forgetTextsOfOthers(null)
    expect(kept()).toEqual([])
  })

  test('that can’t be read leads to the line, where it is mended', async () => {
    const detail = '/etc/nginx/nginx.conf:3:3: the quote is open. nginx would not take it either.'
    const refused = () =>
      json(
        {
          ...{ title: 'The config can’t be read', status: 422, code: 'import_unreadable', detail },
          place: { file: '/etc/nginx/nginx.conf', line: 3, column: 3 },
        },
        {},
        422,
      )
    const { choose, press, user, api, sent } = await open({ 'POST /imports': refused })
    await choose({ 'nginx/nginx.conf': TEXT })
    await press('Import')
    expect(await screen.findByText(detail, {}, soon)).toBeVisible()
    await press('Open the file at line 3')
    const text = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Text' })
    expect(text.value.slice(text.selectionStart, text.selectionEnd)).toBe('  root /srv;')
    api.answer({ 'POST /imports': () => json(imported) })
    await user.clear(text)
    await user.type(text, 'mended;')
    await press('Keep the changes')
    await press('Import')
    expect(await screen.findByText('Keep that host.', {}, soon)).toBeVisible()
    expect(sent()[1]).toMatchObject({ files: [{ text: 'mended;' }] })
  })

  test('of a pasted text, of another server, tells of its name and asks for what is missing', async () => {
    const { press, user, sent } = await open()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Server' }), 'Apache')
    await press('Paste a file')
    expect(
      screen.getByText('/etc/apache2/apache2.conf on that server. It may be a whole path.'),
    ).toBeVisible()
    await user.type(screen.getByRole('textbox', { name: 'Text' }), 'Listen 80')
    await press('Add the file')
    await press('Import')
    await screen.findByText('Keep that host.', {}, soon)
    expect(sent()[0]).toMatchObject({ language: 'apache', main: ['/etc/apache2/apache2.conf'] })
  })

  test('says that a file looks like another server’s, and which links did not come', async () => {
    const { choose, press, user } = await open()
    await choose({ 'nginx/nginx.conf': TEXT, 'nginx/sites-available/shop': 'server {}' })
    expect(screen.getByText('No file of sites-enabled came with them')).toBeVisible()
    await press('Use all of sites-available')
    expect(screen.getByRole('checkbox', { name: 'sites-enabled/shop' })).not.toBeChecked()
    expect(screen.queryByText('No file of sites-enabled came with them')).toBeNull()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Server' }), 'lighttpd')
    expect(screen.getByText('These look like files of nginx')).toBeVisible()
  })

  test('without a draft says so, and has its report all the same', async () => {
    const { choose, press } = await open({
      'POST /imports': () => json({ ...imported, draft: null, ok: false }),
    })
    await choose({ 'nginx/nginx.conf': TEXT })
    await press('Import')
    expect(await screen.findByText('There is no draft', {}, soon)).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Use the draft' })).toBeNull()
    expect(screen.getByRole('button', { name: 'Download the report' })).toBeEnabled()
  })

  test('its report is the control plane’s own, as a file', async () => {
    const made = vi.fn((_blob: Blob) => 'blob:report')
    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: made, revokeObjectURL: vi.fn() }))
    const { choose, press } = await open()
    await choose({ 'nginx/nginx.conf': TEXT })
    await press('Import')
    await screen.findByText('Keep that host.', {}, soon)
    const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
    await press('Download the report')
    expect(clicked).toHaveBeenCalledOnce()
    expect(await made.mock.calls[0]?.[0].text()).toBe('# From nginx\n')
  })
})

describe('its draft', () => {
  const ready = async (answers: Handlers = {}) => {
    const screenful = await open(answers)
    await screenful.choose({ 'nginx/nginx.conf': TEXT })
    await screenful.press('Import')
    await screen.findByText('Keep that host.', {}, soon)
    await screenful.press('Use the draft')
    return screenful
  }

  test('becomes a new config', async () => {
    const { user, press, sent } = await ready({
      'POST /configs/shop/versions': () => json(version({ config: 'shop' }), {}, 201),
      'GET /configs/shop': () => json(config({ name: 'shop' })),
      'GET /configs/shop/draft': () => problem(404, 'not_found', 'None.'),
    })
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'shop')
    await press('Create config')
    await expect.poll(() => window.location.pathname).toBe('/configs/shop')
    expect(sent()[1]).toEqual({
      ...{ text: imported.draft, message: 'From nginx', parent: null },
    })
  })

  test('or the draft of one there is, whose unsaved changes are spoken of', async () => {
    const { user, press, api } = await ready({
      'GET /configs/default/draft': () =>
        json(
          { text: '{}', baseVersion: 2, updatedBy: null, updatedAt: version().createdAt },
          { etag: '"7"' },
        ),
      'PUT /configs/default/draft': () =>
        problem(412, 'precondition_failed', 'Somebody was faster.'),
    })
    await user.click(screen.getByRole('radio', { name: 'An existing config' }))
    await user.click(screen.getByRole('combobox', { name: 'Config' }))
    await user.click(await screen.findByRole('option', { name: /^default/ }))
    expect(await screen.findByText('The draft of default has unsaved changes')).toBeVisible()
    await press('Open as draft in the editor')
    expect(await screen.findByText('Somebody was faster.')).toBeVisible()
    const put = api.requests.find(({ method }) => method === 'PUT')
    expect([put?.body, put?.headers.get('if-match')]).toEqual([{ text: imported.draft }, '"7"'])
  })

  test('that farmstead-node does not accept is no new config yet', async () => {
    const { user, press } = await ready({
      'POST /imports': () => json({ ...imported, ok: false }),
    })
    expect(screen.getByText(/farmstead-node does not accept the draft/)).toBeVisible()
    await user.click(screen.getByRole('radio', { name: 'A new config' }))
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'shop')
    expect(screen.getByRole('button', { name: 'Create config' })).toBeDisabled()
    await press('Cancel')
  })
})
