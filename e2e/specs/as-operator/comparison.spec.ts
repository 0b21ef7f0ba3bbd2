// SPDX-License-Identifier: MIT
// Moving from another server: what farmctl found in two real ones, side by side, beside what the import said.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asOperator as test } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { compareThem, HOST, makeThemDiffer } from '../../fixtures/two-servers.ts'

const NGINX = `server {
  listen 80;
  server_name ${HOST};
  root /srv/shop;
  expires 1d;
}
`
const MANY = 10_000

test('what two servers answer differently stands side by side, and nothing of it is sent', async ({
  page,
  farm,
  admin,
}, testInfo) => {
  const folder = testInfo.outputDir
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'comparison.json')
  const chosen = page.getByLabel('File of the comparison')
  const table = page.getByRole('region', { name: 'Requests that differ, table' })
  const dialog = page.getByRole('dialog', { name: 'Both answers' })

  await test.step('the page says which command makes the file, with the names of the draft', async () => {
    writeFileSync(join(folder, 'nginx.conf'), NGINX)
    await page.goto('/import')
    await page.getByLabel('Files of the config').setInputFiles(join(folder, 'nginx.conf'))
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('link', { name: 'compare their answers' }).click()
    await expect(page.getByText(`--urls urls.txt --host ${HOST} --json`)).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })

  await test.step('farmctl asks both, and its file is told in a sentence', async () => {
    await makeThemDiffer(admin, farm)
    await expect(farm.node('edge-1')).toBeServing('/', { header: ['X-Frame-Options', 'DENY'] })
    await expect(farm.node('edge-2')).toBeServing('/', { header: ['X-Frame-Options', null] })
    await compareThem(farm, folder)
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.method()} ${request.postData() ?? ''}`))
    await chosen.setInputFiles(file)
    await expect(page.getByText('5 requests: 0 the same, 5 differ')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Load of both servers, table' })).toBeVisible()
    expect(sent.filter((one) => one.includes('kept.css'))).toEqual([])
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })

  await test.step('by keyboard: a kind, a request, both answers, the next, and back', async () => {
    const kinds = page.getByRole('radiogroup', { name: 'Kind of difference' })
    await kinds.getByRole('radio', { name: 'All: 5' }).focus()
    await page.keyboard.press('ArrowRight')
    await expect(kinds.getByRole('radio', { name: 'Status: 1' })).toBeChecked()
    await expect(table.getByRole('row')).toHaveCount(2)
    await expect(table).toContainText('302 → is now 404')
    await kinds.getByText('Caching: 3').click()
    await table.getByRole('button', { name: /\/kept\.css/ }).focus()
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('row', { name: /^cache-control differs/ })).toContainText(
      'max-age=86400',
    )
    await expect(dialog.getByRole('row', { name: /^x-frame-options differs/ })).toContainText(
      'DENY',
    )
    await expect(dialog.getByRole('row', { name: /^Body/ })).toContainText('21 bytes')
    await expect(dialog).toContainText('Cache-Control says it; the older Expires header')
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Next' }).click()
    await expect(dialog).toContainText('/packed.txt')
    await expect(dialog.getByRole('row', { name: /^content-encoding differs/ })).toContainText(
      'gzip',
    )
    await page.keyboard.press('Escape')
    await expect(table.getByRole('button', { name: /\/kept\.css/ })).toBeFocused()
    await expect(page).toHaveURL(/view=compare&kind=caching$/)
  })

  await test.step('ten thousand are looked through, and the end is reached', async () => {
    const report = JSON.parse(readFileSync(file, 'utf8'))
    const [pair] = report.answers
    const paths = Array.from({ length: MANY }, (_, i) => `/page/${i}`)
    const differences = paths.map((path) => ({ path, aspect: 'status', old: '200', new: '404' }))
    const answers = paths.map((path) => ({ ...pair, path, gzip: false }))
    const many = { ...report, paths: MANY, differences, answers }
    writeFileSync(join(folder, 'many.json'), JSON.stringify(many))
    await page.goto('/import?view=compare')
    await chosen.setInputFiles(join(folder, 'many.json'))
    await expect(page.getByText('10,000 requests: 0 the same, 10,000 differ')).toBeVisible()
    const all = table.getByRole('table')
    await expect(all).toHaveAttribute('aria-rowcount', String(MANY + 1))
    expect(await all.getByRole('row').count()).toBeLessThan(100)
    await expect(async () => {
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
      await expect(table.getByText('/page/9999')).toBeVisible({ timeout: 1000 })
    }).toPass()
    await page.getByRole('textbox', { name: 'Find in these requests' }).fill('/page/4711')
    await table.getByRole('button', { name: /\/page\/4711/ }).click()
    await expect(dialog).toContainText('1 of 1')
    await page.keyboard.press('Escape')
  })

  await test.step('a file that ends too early, and servers that are the same', async () => {
    const text = readFileSync(file, 'utf8')
    writeFileSync(join(folder, 'half.json'), text.slice(0, text.length / 2))
    await chosen.setInputFiles(join(folder, 'half.json'))
    await expect(page.getByRole('alert')).toContainText('half.json ends too early')
    await page.getByRole('button', { name: 'Close the comparison' }).click()
    await chosen.setInputFiles(join(folder, 'half.json'))
    await expect(page.getByRole('alert')).toContainText('half.json ends too early')
    expect.soft(await wrongWithLooks(page)).toEqual([])
    const same = { ...JSON.parse(text), differences: [], answers: [], runs: [] }
    writeFileSync(join(folder, 'same.json'), JSON.stringify(same))
    await chosen.setInputFiles(join(folder, 'same.json'))
    await expect(page.getByText('5 requests: 5 the same, 0 differ')).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })

  await admin.rollOut(await admin.saveVersion(configText(farm.siteDir), 'As before'))
  await expect(farm.node('edge-1')).toBeServing('/', { header: ['X-Frame-Options', null] })
})
