// SPDX-License-Identifier: MIT
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

// The path is read once, when the module is.
beforeEach(() => vi.resetModules())
afterEach(() => {
  document.head.replaceChildren()
  vi.resetModules()
})

test('the console asks the control plane below the path its document names', async () => {
  document.head.innerHTML = '<meta name="farmstead-base" content="/tools/farm/" />'
  const { baseUrl } = await import('./api-client.ts')
  expect(new URL('api/v1/session', baseUrl).pathname).toBe('/tools/farm/api/v1/session')
})

test('a document that names none is at the root', async () => {
  const { baseUrl } = await import('./api-client.ts')
  expect(new URL('api/v1/session', baseUrl).pathname).toBe('/api/v1/session')
})
