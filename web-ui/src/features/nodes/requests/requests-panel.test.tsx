// SPDX-License-Identifier: MIT
import { fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { json } from '../../../test/fake-api.ts'
import { renderApp } from '../../../test/render-app.tsx'
import { node, session } from '../../../test/samples.ts'
import { soon } from '../../../test/soon.ts'

const { id } = node()
const now = Date.now()
const sample = (path: string, secondsAgo: number, total: number) => ({
  ...{ startedAt: new Date(now - secondsAgo * 1000).toISOString(), generation: 1, status: 200 },
  ...{ bytes: 1, protocol: 'HTTP/1.1', reason: null, path, stageSeconds: { total } },
})
const samples = [sample('/fast', 5, 0.002), sample('/slow', 5, 0.4), sample('/before', 90, 0.3)]
const batch = { receivedAt: new Date(now).toISOString(), seen: 3, samples }

/** The panel, while it is looked at. */
async function looking() {
  renderApp(`/nodes/${id}`, {
    'GET /session': () => json({ ...session, permissions: ['nodes:read', 'requests:read'] }),
    [`GET /nodes/${id}`]: () => json(node()),
    [`GET /nodes/${id}/samples`]: ({ query }) =>
      json({
        ...{ nodeId: id, state: 'live', next: 1 },
        batches: query.get('after') === '0' ? [batch] : [],
      }),
  })
  const panel = within(await screen.findByRole('region', { name: 'Single requests' }, soon))
  await userEvent.click(panel.getByRole('button', { name: 'Look live' }))
  await panel.findByText('/slow')
  const paths = () => panel.queryAllByText(/^\/(fast|slow|before)$/).map((one) => one.textContent)
  return { panel, paths }
}

test('fields of duration and time say which requests the table has', async () => {
  const { panel, paths } = await looking()
  expect(paths()).toEqual(['/slow', '/before', '/fast'])
  await userEvent.type(panel.getByLabelText('Milliseconds at least'), '100{Enter}')
  expect(paths()).toEqual(['/slow', '/before'])
  const clock = new Date(now - 30_000).toTimeString().slice(0, 8)
  fireEvent.change(panel.getByLabelText('Began at or after'), { target: { value: clock } })
  expect(paths()).toEqual(['/slow'])
  expect(panel.getByText('1 request of the last two minutes there.')).toBeInTheDocument()
  expect(panel.getByRole('region', { name: 'The chosen requests' })).toBeVisible()
  await userEvent.type(panel.getByLabelText('Milliseconds at most'), '200{Enter}')
  expect(panel.getByText(/^None of the requests/)).toBeInTheDocument()
  await userEvent.click(panel.getByRole('button', { name: 'All requests' }))
  expect(paths()).toEqual(['/slow', '/before', '/fast'])
  expect(panel.getByLabelText('Milliseconds at least')).toHaveValue('')
})

test('what was chosen is saved as a file of numbers', async () => {
  const { panel } = await looking()
  await userEvent.type(panel.getByLabelText('Milliseconds at least'), '100{Enter}')
  const made = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:numbers')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue()
  await userEvent.click(panel.getByRole('button', { name: /save the numbers as CSV$/ }))
  expect(clicked).toHaveBeenCalledOnce()
  const [[file] = []] = made.mock.calls
  if (!(file instanceof Blob)) throw new Error('no file was made')
  const lines = (await file.text()).trim().split('\r\n')
  expect(lines[0]).toBe('began,seconds,mostly,status,reason,path')
  expect(
    lines
      .slice(1)
      .map((line) => line.split(',').at(-1))
      .toSorted(),
  ).toEqual([...['/before', '/slow']])
})
