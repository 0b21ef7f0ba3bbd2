// SPDX-License-Identifier: MIT
// Where the time goes, over what a real farm measured.
import { readFileSync } from 'node:fs'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asViewer as test } from '../../fixtures/index.ts'
import { whileVisiting } from '../../fixtures/visitors.ts'
import { MeasurementsPage } from '../../pages/measurements-page.ts'

/** Sums of the farm come up to 40 s after a step is over. */
const SUMMED_WITHIN_MS = 120_000

test('the farm’s measurements are drawn, read at one moment together, zoomed and saved', async ({
  page,
  admin,
  farm,
}) => {
  const measurements = new MeasurementsPage(page)
  await whileVisiting(
    farm.nodes.map(({ url }) => url),
    async () => {
      await measurements.open()
      const latency = measurements.panel('Latency')
      await expect(latency).toContainText(/p99 [\d.]+ (µs|ms|s)/, { timeout: SUMMED_WITHIN_MS })
    },
  )

  await test.step('one cursor in all charts, and the keyboard moves it', async () => {
    const clock = /^\d\d:\d\d:\d\d/
    await measurements.drawing('Latency').press('Home')
    const first = (await measurements.panel('Latency').innerText()).match(/\d\d:\d\d:\d\d/)?.[0]
    expect(first).toMatch(clock)
    await expect(measurements.panel('Bytes sent')).toContainText(first ?? 'a time')
  })

  await test.step('a drag zooms all of them, and the address has it', async () => {
    await measurements.dragOver(measurements.drawing('Latency'))
    await expect(page).toHaveURL(/[?&]from=\d+&to=\d+/)
    await expect(page.getByLabel('From', { exact: true })).toBeVisible()
    await page.goBack()
    await expect(page).not.toHaveURL(/from=/)
  })

  await test.step('a drag in the overview leads there, and one on a node’s page zooms it', async () => {
    await page.goto('/')
    await measurements.dragOver(measurements.drawing('Latency'))
    await expect(page).toHaveURL(/\/measurements\?from=\d+&to=\d+$/)
    await page.goto(`/nodes/${(await admin.node('edge-1')).id}`)
    await measurements.dragOver(measurements.drawing('Requests per second'))
    await expect(page).toHaveURL(/\/nodes\/.*[?&]from=\d+&to=\d+/)
    await expect(page.getByLabel('From', { exact: true })).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await measurements.open()
  })

  await test.step('numbers and picture as files', async () => {
    const csv = await measurements.save('Latency', 'CSV')
    expect(csv.suggestedFilename()).toBe('latency.csv')
    const [head, ...rows] = readFileSync(await csv.path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(head).toBe('time,p50,p90,p99,requests')
    expect(rows.some((row) => /^20\d\d-.*Z,0\.\d+,0\.\d+,0\.\d+,\d+$/.test(row))).toBe(true)
    const png = await measurements.save('Latency', 'PNG')
    const picture = readFileSync(await png.path())
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
    expect(picture.length).toBeGreaterThan(2000)
  })

  for (const topic of ['Where time goes', 'Connections', 'Cache', 'Machine']) {
    await test.step(topic, async () => {
      await measurements.choose('Topic', topic)
      await expect(page.getByRole('group', { name: /: chart/ }).first()).toBeVisible()
    })
  }
  await test.step('a heatmap, cell by cell', async () => {
    await measurements.choose('Topic', 'Heatmap')
    const map = page.getByRole('group', { name: /: heatmap/ })
    await map.press('End')
    await expect(measurements.panel('The whole farm: total')).toContainText(/ to |nothing was/)
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })
  await measurements.choose('Topic', 'Where time goes')
  await expect(measurements.panel('Anatomy of a request')).toContainText(
    /The node itself [\d.]+ µs/,
  )
  expect.soft(await wrongWithLooks(page)).toEqual([])
})

test('two nodes are compared, in a sentence and percentile by percentile', async ({
  page,
  admin,
  farm,
}) => {
  const [a, b] = [await admin.node('edge-1'), await admin.node('edge-2')]
  const table = page.getByRole('region', { name: 'Percentiles side by side' })
  await whileVisiting(
    farm.nodes.map(({ url }) => url),
    async () => {
      await page.goto(`/measurements/compare?a=node:${a.id}&b=node:${b.id}`)
      // An interval needs three steps of each.
      await expect(table.getByText(/× \(.* to .*\)/).first()).toBeVisible({
        timeout: SUMMED_WITHIN_MS,
      })
    },
  )
  await expect(page.getByRole('status')).toContainText([/edge-1.*p99|p99.*edge-1/])
  await expect(page.getByRole('group', { name: /^edge-[12]: total: heatmap/ })).toHaveCount(2)
  expect.soft(await wrongWithLooks(page)).toEqual([])

  await test.step('the busiest nodes lead to their pages', async () => {
    await page.getByRole('link', { name: 'Top nodes' }).click()
    await page.getByRole('combobox', { name: 'By what' }).selectOption('Requests per second')
    const ranked = page.getByRole('region', { name: 'Nodes, the highest first' })
    await expect(ranked.getByRole('row')).toHaveCount(1 + farm.nodes.length)
    await ranked.getByRole('link', { name: 'edge-2' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'edge-2' })).toBeVisible()
  })
})
