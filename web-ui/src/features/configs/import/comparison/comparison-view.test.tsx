// SPDX-License-Identifier: MIT
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { keptFilesKey } from '../../../../lib/kept-texts.ts'
import { asFile, comparisonFile, manyDiffering } from '../../../../test/comparison-sample.ts'
import { json } from '../../../../test/fake-api.ts'
import { renderApp } from '../../../../test/render-app.tsx'
import { knownImports, session } from '../../../../test/samples.ts'
import { soon } from '../../../../test/soon.ts'

const imported = {
  ...{ draft: '{ "sites": [{ "hosts": ["shop.example"] }] }', ok: true, errors: [] },
  ...{ report: '# From nginx\n', gains: [] },
  findings: [
    {
      ...{ file: '/etc/nginx/nginx.conf', line: 1, column: 1, directive: 'server { … }' },
      ...{ verdict: 'different', notes: [{ code: 'hidden-files', text: 'Dots are `404`.' }] },
    },
  ],
}

async function open(address = '/import?view=compare') {
  const api = renderApp(address, {
    'GET /imports': () => json(knownImports),
    'POST /imports': () => json(imported),
  })
  const user = userEvent.setup()
  await screen.findByRole('heading', { name: 'Compare with the old server' }, soon)
  const choose = (...files: File[]) =>
    fireEvent.change(screen.getByLabelText('File of the comparison'), { target: { files } })
  const press = (name: string | RegExp) => user.click(screen.getByRole('button', { name }))
  const rows = () =>
    within(screen.getByRole('region', { name: 'Requests that differ, table' }))
      .getAllByRole('button')
      .map(({ textContent }) => textContent)
  return { api, user, choose, press, rows }
}

/** Nothing has a height here, and of rows without one all are in the window. */
const ROW_PX = 44
const SUM = /^30 requests: 28 the same, 2 differ$/

beforeEach(() => sessionStorage.clear())

describe('a comparison', () => {
  test('is told in a sentence, row by row, and nothing of it is sent', async () => {
    const { api, choose, rows, user } = await open()
    choose(asFile(comparisonFile()))
    expect(await screen.findByText(SUM, {}, soon)).toBeVisible()
    expect(rows()).toEqual(['/.git/x', '/a.css'])
    expect(api.requests.filter(({ method }) => method !== 'GET')).toEqual([])
    await user.click(screen.getByRole('radio', { name: 'Encoding: 1' }))
    await waitFor(() => expect(rows()).toEqual(['/a.css']))
    expect(window.location.search).toBe('?view=compare&kind=encoding')
    await user.type(screen.getByRole('textbox', { name: 'Find in these requests' }), 'git')
    expect(await screen.findByText('No such request')).toBeVisible()
  })

  test('shows both answers by keyboard alone, one after the other, and goes back', async () => {
    const { choose, user } = await open()
    choose(asFile(comparisonFile()))
    await screen.findByText(SUM, {}, soon)
    screen.getByRole('button', { name: /^Both answers to \/\.git/ }).focus()
    await user.keyboard('{Enter}')
    const dialog = await screen.findByRole('dialog', { name: 'Both answers' })
    const row = (name: RegExp) => within(dialog).getByRole('row', { name })
    expect(row(/^Status/)).toHaveTextContent('Status differs200404')
    expect(row(/^Body/)).toHaveTextContent('not compared')
    expect(within(dialog).getByRole('button', { name: 'Previous' })).toBeDisabled()
    await user.click(within(dialog).getByRole('button', { name: 'Next' }))
    expect(within(dialog).getByText('2 of 2')).toBeVisible()
    expect(row(/^cache-control/)).toHaveTextContent('cache-control differsmax-age=60–absent')
    expect(row(/^server/)).toHaveTextContent('not compared')
    await user.keyboard('{Escape}')
    const opener = screen.getByRole('button', { name: /^Both answers to \/\.git/ })
    await waitFor(() => expect(opener).toHaveFocus())
  })

  test('has the load of both, and why it may not be believed', async () => {
    const { choose } = await open()
    choose(asFile(comparisonFile()))
    const table = await screen.findByRole('region', { name: 'Load of both servers, table' }, soon)
    const [, first, second] = within(table).getAllByRole('row')
    expect(first).toHaveTextContent('Old2,000,0001 ms2 ms20 ms40 ms100 %99.9999 %')
    expect(second).toHaveTextContent('New2,000,0001 ms2 ms3 ms')
    expect(screen.getByText('farmload itself was late.')).toBeVisible()
  })

  test('without a difference says so, and without a load nothing of one', async () => {
    const { choose } = await open()
    choose(asFile(comparisonFile({ differences: [], answers: [], runs: [] })))
    expect(await screen.findByText('30 requests: 30 the same, 0 differ', {}, soon)).toBeVisible()
    expect(screen.getByRole('heading', { name: 'No request differs' })).toBeVisible()
    expect(screen.queryByRole('region', { name: 'Load of both servers, table' })).toBeNull()
  })

  test('of ten thousand draws those in the window, and finds any', async () => {
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(ROW_PX)
    const { choose, user, rows } = await open()
    choose(asFile(manyDiffering(10_000)))
    expect(await screen.findByText(/^10,000 requests: 0 the same/, {}, soon)).toBeVisible()
    const drawn = screen.queryAllByRole('button', { name: /^Both answers to/ })
    expect(drawn.length).toBeLessThan(100)
    await user.type(screen.getByRole('textbox', { name: 'Find in these requests' }), '/page/9999')
    await waitFor(() => expect(rows()).toEqual(['/page/9999']))
    await user.click(screen.getByRole('button', { name: /^Both answers to/ }))
    expect(await screen.findByText(/^farmctl keeps whole answers/)).toBeVisible()
  })

  test('that can’t be read says why, and what was open stays', async () => {
    const { choose } = await open()
    choose(asFile(JSON.stringify(comparisonFile()).slice(0, 300)))
    expect(await screen.findByRole('alert')).toHaveTextContent('comparison.json ends too early')
    choose(asFile(comparisonFile()))
    expect(await screen.findByText(SUM, {}, soon)).toBeVisible()
    expect(screen.queryByRole('alert')).toBeNull()
    choose(asFile('{}', 'a'), asFile('{}', 'b'))
    expect(await screen.findByRole('alert')).toHaveTextContent('One file can be shown at a time')
    expect(screen.getByText(SUM)).toBeVisible()
  })

  test('can be dropped, stays while one looks elsewhere, and is closed', async () => {
    const { user, press } = await open()
    const box = screen.getByText('Drop the file of the comparison here')
    const dataTransfer = { types: ['Files'], files: [asFile(comparisonFile())] }
    fireEvent.drop(box, { dataTransfer })
    await screen.findByText(SUM, {}, soon)
    const tabs = within(screen.getByRole('navigation', { name: 'Views of the import' }))
    await user.click(tabs.getByRole('link', { name: 'Config' }))
    expect(await screen.findByRole('heading', { name: 'Import a config' })).toBeVisible()
    expect(tabs.getByRole('link', { name: 'Config' })).toHaveAttribute('aria-current', 'page')
    await user.click(tabs.getByRole('link', { name: 'Compare with the old server' }))
    expect(await screen.findByText(SUM)).toBeVisible()
    await press('Close the comparison')
    expect(screen.getByText('Drop the file of the comparison here')).toBeVisible()
  })
})

describe('beside an import of this tab', () => {
  beforeEach(() => {
    const input = {
      ...{ language: null, folder: null, main: null, leftOut: [] },
      files: [{ name: 'nginx.conf', text: 'server {}' }],
    }
    const key = keptFilesKey(session.user.id)
    sessionStorage.setItem(key, JSON.stringify({ input, isAsked: true }))
  })

  test('the command has the draft’s names, then the report’s', async () => {
    const { choose } = await open()
    expect(
      await screen.findByText(/^farmctl compare-servers .*--host shop\.example/, {}, soon),
    ).toBeVisible()
    choose(asFile(comparisonFile({ host: 'other.example' })))
    expect(await screen.findByText(/--host other\.example --json/, {}, soon)).toBeVisible()
  })

  test('what it said that may be why leads to the directive', async () => {
    const { choose, press, user } = await open()
    choose(asFile(comparisonFile()))
    await screen.findByText(SUM, {}, soon)
    await press(/^Both answers to \/\.git/)
    const why = await screen.findByRole('region', { name: /may be why/ }, soon)
    expect(why).toHaveTextContent('Dots are 404.')
    await user.click(within(why).getByRole('link', { name: '/etc/nginx/nginx.conf:1:1' }))
    const table = await screen.findByRole('region', { name: 'Directives, table' }, soon)
    expect(within(table).getByText('server { … }')).toBeVisible()
  })
})
