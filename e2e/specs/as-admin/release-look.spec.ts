// SPDX-License-Identifier: MIT
// Real nodes ask themselves for the files of a version, and what they answer is what it says.
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, asAdmin as test } from '../../fixtures/index.ts'
import { pushRelease } from '../../fixtures/releases.ts'
import { configText } from '../../fixtures/sample.ts'

const HOST = 'asked-for.e2e.example'
const FILES = {
  'a b.txt': 'a name that is written otherwise in a URL',
  'css/site.css': 'h1 { color: red }',
  'index.html': '<!doctype html><title>Looked at</title><h1>Looked at</h1>',
}

test('nodes that serve a version say that they do', async ({ page, api, farm }) => {
  await pushRelease(api, 'asked-for', FILES)
  const text = configText(farm.siteDir).replace(
    '"sites": [',
    `"sites": [{ "hosts": ["${HOST}"], "release": "asked-for" },`,
  )
  const { id } = await api.rollOut(await api.saveVersion(text, 'A release to look at'))
  await expect.poll(async () => (await api.rollout(id)).state).toBe('succeeded')

  await page.goto('/releases/asked-for/versions/1')
  const panel = page.getByRole('region', { name: 'Is it what nodes serve?' })
  await expect(panel).toContainText('Nobody has asked lately')
  await panel.getByRole('button', { name: 'Ask nodes' }).click()
  await expect(panel).toContainText('For3 files')
  await expect(panel).toContainText(/As this version says[1-9]\d* nodes?$/, { timeout: 30_000 })
  expect(await wrongWithLooks(page)).toEqual([])
})
