// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { build } from '../helper.ts'

const url = '/api/docs'

test('any role reads the API’s description in a browser', async () => {
  const { as } = await build()
  const viewer = await as('viewer')
  const page = await viewer.inject({ url })
  expect(page.statusCode).toBe(200)
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
  const asked = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  expect(asked).toHaveLength(4)
  for (const path of asked.filter((one) => one !== 'data:,')) {
    const file = await viewer.inject({ url: new URL(path, 'http://farm.test/api/docs').pathname })
    expect(file.statusCode, path).toBe(200)
    expect(file.body.length, path).toBeGreaterThan(100)
  }
  const script = await viewer.inject({ url: `${url}/reader.js` })
  expect(script.body).toContain("url: 'v1/openapi.json'")
})

test('its page asks nothing of another host, and runs nothing that stands in it', async () => {
  const { admin } = await build()
  const { headers, body } = await admin.inject({ url })
  const policy = String(headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self';")
  expect(policy).toContain("connect-src 'self';")
  expect(body).not.toMatch(/https?:\/\//)
  expect(body).not.toMatch(/<script>|<style>| on\w+=/)
})

test('who is not signed in is led to the sign-in, and a program is told', async () => {
  const { anonymous } = await build()
  const browser = await anonymous.inject({ url, headers: { accept: 'text/html,*/*;q=0.8' } })
  expect(browser.statusCode).toBe(302)
  expect(browser.headers.location).toBe('/sign-in?next=%2Fapi%2Fdocs')
  const program = await anonymous.inject({ url, headers: { accept: '*/*' } })
  expect(program.json()).toMatchObject({ status: 401, code: 'not_signed_in' })
})
