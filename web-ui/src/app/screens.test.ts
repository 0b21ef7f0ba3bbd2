// SPDX-License-Identifier: MIT
// Each address of the console is among those that the browser tests look at in light, dark and on a phone.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createQueryClient } from './query-client.ts'
import { createAppRouter } from './router.tsx'

const SPEC = join(import.meta.dirname, '../../../e2e/fixtures/screens.ts')
/** Before somebody is signed in, and where nothing is. */
const ELSEWHERE = new Set(['/setup', '/sign-in', '/change-password', '/$'])

test('the browser tests look at every screen', () => {
  const looked = [...readFileSync(SPEC, 'utf8').matchAll(/ path: ['`](\/[^'`?]*)/g)].map(
    ([, path = '']) => path.replaceAll(/\$\{[^}]+\}/g, 'id'),
  )
  const { routesByPath } = createAppRouter(createQueryClient(() => {}))
  const addresses = Object.keys(routesByPath).filter((path) => !ELSEWHERE.has(path))
  expect(addresses.length).toBeGreaterThan(15)
  const unseen = addresses.filter((path) => {
    const pattern = new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}$`)
    return !looked.some((one) => pattern.test(one))
  })
  expect(unseen).toEqual([])
})
