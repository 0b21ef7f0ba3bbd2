// SPDX-License-Identifier: MIT
// What changes is told to all windows of a browser by one stream, and asked for where something on the way holds the stream back.
import { request as ask, createServer, type Server } from 'node:http'
import { type Api, expect, type Farm, asViewer as test } from '../../fixtures/index.ts'
import { listenAt } from '../../real-farm/listen.ts'

/** More than the six connections that a browser has to a server. */
const WINDOWS = 8
/** Longer than a stream may say nothing. */
const SILENT_MS = 41_000

/** As the control plane counts them. */
async function streamsOf(farm: Farm, admin: Api): Promise<number> {
  const cookie = admin.storageState.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const answer = await fetch(`${farm.consoleUrl}/metrics`, { headers: { cookie } })
  return Number(/^farmstead_event_streams (\d+)$/m.exec(await answer.text())?.[1])
}

/** A proxy that passes the head of each answer on, and of events nothing else. */
async function holdingBack(farm: Farm): Promise<{ url: string; server: Server }> {
  const server = createServer((asked, answer) => {
    const { method, headers, url = '/' } = asked
    const passed = ask(farm.consoleUrl + url, { method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers)
      if (url.includes('/api/v1/events')) answer.flushHeaders()
      else given.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  const port = await listenAt(server, '127.0.0.1')
  return { url: `http://127.0.0.1:${port}`, server }
}

test('more windows than a browser has connections hear of one change, over one stream', async ({
  page,
  context,
  admin,
  farm,
}) => {
  await expect.poll(() => streamsOf(farm, admin)).toBe(0)
  const pages = [page]
  while (pages.length < WINDOWS) pages.push(await context.newPage())
  for (const one of pages) {
    await one.goto('/nodes')
    await expect(one.getByRole('status', { name: 'Live updates' })).toHaveText('Live')
  }
  // What is counted for monitors is some seconds old.
  await expect.poll(() => streamsOf(farm, admin)).toBe(1)
  await admin.label('edge-3', { zone: 'us', heard: 'by-all' })
  for (const one of pages) {
    // A window that is not in front is told when it is looked at.
    await one.bringToFront()
    await expect(one.getByText('by-all').first()).toBeVisible()
  }
  await admin.label('edge-3', { zone: 'us' })
  for (const one of pages) await one.close()
  await expect.poll(() => streamsOf(farm, admin)).toBe(0)
})

test('behind a proxy that holds events back the console asks, and says so', async ({
  page,
  admin,
  farm,
}) => {
  const { url, server } = await holdingBack(farm)
  try {
    // The page's own stream, which goes by the page's clock.
    await page.addInitScript(() => Object.assign(window, { SharedWorker: undefined }))
    await page.clock.install()
    await page.goto(`${url}/nodes`)
    const live = page.getByRole('status', { name: 'Live updates' })
    await expect(live).toHaveText('Live')
    await expect(page.getByRole('link', { name: 'edge-3' })).toBeVisible()
    await page.clock.fastForward(SILENT_MS)
    await expect(live).toHaveText('Reconnecting, asking every 5 s')
    await admin.label('edge-3', { zone: 'us', asked: 'for' })
    await expect(page.getByText('asked=for').first()).toBeVisible()
    await expect(live).toHaveText('Reconnecting, asking every 5 s')
  } finally {
    await admin.label('edge-3', { zone: 'us' })
    await page.close()
    server.closeAllConnections()
    server.close()
  }
})
