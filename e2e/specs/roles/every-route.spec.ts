// SPDX-License-Identifier: MIT
// Every route of the API as each role, against docs/permissions.md and a running control plane. No id is
// anybody's and no body is what the route takes, so who is let in changes nothing: 400, 404, or a list.
import { Refused } from '../../client/refused.ts'
import { Api, adminPassword, expect, SCOPE, test } from '../../fixtures/index.ts'
import { describedRoutes, permissionTable, type Row } from '../../fixtures/permission-table.ts'

/** Not described in openapi.json: its own reader, and what Prometheus fetches. */
const UNDESCRIBED = /^\/api\/(docs|metrics|v1\/openapi\.json)/
const routes = permissionTable()
  .filter(({ path }) => !UNDESCRIBED.test(path))
  // Signs out: after all others.
  .toSorted((a, b) => Number(signsOut(a)) - Number(signsOut(b)))

function signsOut({ method, path }: Row): boolean {
  return method === 'DELETE' && path === '/api/v1/session'
}

type Expected = (row: Row) => string
const LET_IN = 'let in'
const of =
  (role: 'viewer' | 'operator' | 'admin'): Expected =>
  ({ roles }) =>
    roles.has(role) ? LET_IN : '403 not_allowed'

const withScope: Expected = (row) => {
  const whole = of('operator')(row)
  return whole === LET_IN && row.scoped === 'no' ? '403 whole_farm_required' : whole
}

type Case = { who: string; role: 'viewer' | 'operator' | 'admin'; scope?: string; may: Expected }
const cases: Case[] = [
  { who: 'viewer', role: 'viewer', may: of('viewer') },
  { who: 'operator', role: 'operator', may: of('operator') },
  { who: 'administrator', role: 'admin', may: of('admin') },
  { who: 'operator with a scope', role: 'operator', scope: SCOPE, may: withScope },
]

/** "let in", or the refusal of who asks; what is wrong with the request is no refusal of them. */
async function answerTo(api: Api, { method, path }: Row): Promise<string> {
  const params = {
    path: Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, 'x'])),
    // Else it would be a stream.
    header: { 'last-event-id': 'not-a-number' },
  }
  const isRead = method === 'GET'
  const request = { params, parseAs: 'stream', ...(!isRead && { body: [] }) }
  try {
    // The rows are of all methods and paths; the types know only one at a time.
    const { response } = await api.call.request(method as never, path as never, request as never)
    await response.body?.cancel()
    return LET_IN
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { status, code } = error
    return [401, 403].includes(status) || status >= 500 ? `${status} ${code}` : LET_IN
  }
}

async function differences(api: Api, expected: Expected): Promise<string[]> {
  const wrong: string[] = []
  for (const row of routes) {
    const [found, told] = [await answerTo(api, row), expected(row)]
    if (found !== told) wrong.push(`${row.method} ${row.path}: ${found}, should be ${told}`)
  }
  return wrong
}

test('docs/permissions.md and openapi.json name the same routes', () => {
  const named = routes.map(({ method, path }) => `${method} ${path}`)
  expect(named.toSorted()).toEqual(describedRoutes().toSorted())
  expect(named.length).toBeGreaterThan(100)
})

for (const { who, role, scope = null, may } of cases) {
  test(`every route lets the ${who} in, or refuses, as docs/permissions.md says`, async ({
    admin,
  }) => {
    // A user of this test's own: among the routes are those that end sessions.
    const username = `routes-${role}${scope === null ? '' : '-scoped'}`
    const user = { username, password: adminPassword }
    const api = await admin.addUser(user, { roles: [role], scope })
    expect(await differences(api, may)).toEqual([])
  })
}

test('every route refuses who is not signed in, but those that are public', async ({ farm }) => {
  const expected: Expected = ({ isPublic }) => (isPublic ? LET_IN : '401 not_signed_in')
  expect(await differences(new Api(farm.consoleUrl), expected)).toEqual([])
})
