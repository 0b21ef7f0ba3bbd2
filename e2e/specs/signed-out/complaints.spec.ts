// SPDX-License-Identifier: MIT
// What makes every other spec fail: each kind of complaint, provoked on a page made for it.
import { Complaints } from '../../fixtures/complaints.ts'
import { expect, test } from '../../fixtures/index.ts'

const POLICY = "default-src 'self'; script-src 'unsafe-inline'; img-src data:"
const SCRIPTS = [
  'console.error("an error")',
  'console.warn("a warning")',
  'console.info("not worth it")',
  'throw new Error("thrown away")',
  'fetch("/refused")',
  'fetch("/nobody-answers")',
  'fetch("https://elsewhere.invalid/")',
  'fetch("/given-up", { signal: AbortSignal.timeout(20) }).catch(() => {})',
  'Promise.reject(new Error("nobody caught it"))',
]

test('errors, warnings, what is thrown, refused, unanswered or kept out is heard, and nothing else', async ({
  browser,
  provokes,
}) => {
  // The same is heard by what watches this spec.
  provokes(/./)
  const context = await browser.newContext()
  const complaints = new Complaints()
  complaints.begin()
  complaints.listenTo(context)
  await context.route('http://console.invalid/**', async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname === '/nobody-answers') return await route.abort('connectionreset')
    if (pathname === '/given-up') return
    if (pathname === '/refused') return await route.fulfill({ status: 403, body: '' })
    const scripts = SCRIPTS.map((text) => `<script>${text}</script>`).join('')
    await route.fulfill({
      contentType: 'text/html',
      headers: { 'content-security-policy': POLICY },
      body: `<!doctype html><title>It complains</title><link rel="icon" href="data:,">${scripts}`,
    })
  })
  const page = await context.newPage()
  await page.goto('http://console.invalid/')
  for (const one of [
    /^error: an error/,
    /^warning: a warning/,
    /^thrown: Error: thrown away/,
    /^thrown: Error: nobody caught it/,
    /^403 \/refused$/,
    /^net::ERR_CONNECTION_RESET: GET \/nobody-answers$/,
    /elsewhere\.invalid.*Content Security Policy/s,
  ]) {
    await expect.poll(() => complaints.unexpected()).toContainEqual(expect.stringMatching(one))
  }
  const heard = complaints.unexpected()
  expect(heard.filter((one) => /not worth it|given-up/.test(one))).toEqual([])
  complaints.expect(/./)
  expect(complaints.unexpected()).toEqual([])
  await context.close()
})
