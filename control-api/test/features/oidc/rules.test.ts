// SPDX-License-Identifier: MIT
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { oidcConfig } from '../../../src/environment/oidc.ts'
import {
  claimAt,
  groupsIn,
  localPath,
  namesIn,
  rolesOf,
  usernames,
} from '../../../src/features/oidc/rules.ts'
import { tempDir } from '../../helper.ts'

/** Of names without end. */
const firstOf = (names: Generator<string>, count: number) =>
  Array.from({ length: count }, () => names.next().value)

const HERE = 'https://farm.example.org'

test.each([
  [undefined, '/'],
  ['/nodes?label=a#top', '/nodes?label=a#top'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['https://evil.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['nodes', '/'],
  ['/a/../../b', '/b'],
  ['/api/v1/session/oidc', '/'],
])('after signing in %s leads to %s', (next, expected) => {
  expect(localPath(next, HERE)).toBe(expected)
})

test.each([
  [
    ['ops', 3, 'admins'],
    ['ops', 'admins'],
  ],
  ['ops', ['ops']],
  [undefined, []],
  [{ ops: true }, []],
])('of the claim %j the groups are %j', (claim, expected) => {
  expect(groupsIn(claim)).toEqual(expected)
})

test.each([
  ['groups', { groups: ['a'] }, ['a']],
  ['realm_access.roles', { realm_access: { roles: ['a', 'b'] } }, ['a', 'b']],
  ['resource_access.my.app.roles', { resource_access: { 'my.app': { roles: ['a'] } } }, ['a']],
  ['https://example.org/groups', { 'https://example.org/groups': ['a'] }, ['a']],
  ['a.b', { 'a.b': ['literal'], a: { b: ['nested'] } }, ['literal']],
  ['realm_access.roles', { realm_access: 'roles' }, []],
  ['groups.name', { groups: [{ name: 'a' }, { id: 3 }, 'x', null, { name: 'b' }] }, ['a', 'b']],
  [
    'orgs.groups.name',
    { orgs: [{ groups: [{ name: 'a' }] }, { groups: { name: 'b' } }] },
    ['a', 'b'],
  ],
  ['orgs.roles', { orgs: [{ roles: ['a', 'b'] }, { roles: 'c' }] }, ['a', 'b', 'c']],
  ['groups.0', { groups: ['a'] }, []],
  ['constructor.name', {}, []],
])('the claim %s of %j holds %j', (path, claims, expected) => {
  expect(groupsIn(claimAt(claims, path))).toEqual(expected)
})

test.each([
  [{ preferred_username: 'ana', email: 'ana@example.org' }, 'ana'],
  [{ email: 'ana@example.org', name: 'Ana B.' }, 'ana@example.org'],
  [{ preferred_username: '', name: 'Ana Bär' }, 'Ana.Baer'],
  [{ preferred_username: '安娜', email: 'ana@example.org' }, 'ana@example.org'],
  [{ email: 17 }, 'user'],
])('who comes with %j is called %s', (claims, expected) => {
  expect(firstOf(usernames(namesIn(claims)), 1)).toEqual([expected])
})

test('groups add up to roles, each once', () => {
  const table = new Map([
    ['a', ['operator', 'viewer']],
    ['b', ['viewer', 'admin']],
  ] as const)
  expect(rolesOf(['a', 'x', 'b'], table)).toEqual(['admin', 'operator', 'viewer'])
  expect(rolesOf(['A'], table)).toEqual([])
})

test.each([
  ['ana', ['ana', 'ana-2', 'ana-3']],
  ['ana@example.org', ['ana@example.org', 'ana@example.org-2', 'ana@example.org-3']],
  ['<b>ana</b>', ['banab', 'banab-2', 'banab-3']],
  ['müller', ['mueller', 'mueller-2', 'mueller-3']],
  ['mu\u0308ller', ['mueller', 'mueller-2', 'mueller-3']],
  ['Zoë Łukasz', ['Zoe.Lukasz', 'Zoe.Lukasz-2', 'Zoe.Lukasz-3']],
  ['Straße', ['Strasse', 'Strasse-2', 'Strasse-3']],
  ['...', ['user', 'user-2', 'user-3']],
  ['安娜', ['user', 'user-2', 'user-3']],
  [17, ['user', 'user-2', 'user-3']],
  ['Operator', ['Operator-2', 'Operator-3', 'Operator-4']],
])('who is called %j gets the first free name of %j', (preferred, expected) => {
  expect(firstOf(usernames([preferred]), 3)).toEqual(expected)
})

test('a name however long fits, with its number', () => {
  const [first, second] = firstOf(usernames(['x'.repeat(100)]), 2)
  expect(first?.length).toBeLessThanOrEqual(64)
  expect(second).toBe(`${first}-2`)
})

describe('FARMSTEAD_OIDC_…', () => {
  const whole = {
    FARMSTEAD_PUBLIC_URL: 'https://farm.example.org/',
    FARMSTEAD_OIDC_ISSUER: 'https://id.example.org/realms/farm',
    FARMSTEAD_OIDC_CLIENT_ID: 'farmstead',
    FARMSTEAD_OIDC_ROLES: 'farm-admins=admin; cn=ops,dc=x = operator,approver',
  }
  const read = (env: Record<string, string | undefined>) => {
    const problems: string[] = []
    return { config: oidcConfig((name) => env[name], problems), problems }
  }

  test('unset is off; the console’s address alone wants nothing', () => {
    expect(read({ FARMSTEAD_PUBLIC_URL: 'x' })).toEqual({ config: null, problems: [] })
  })

  test('whole is read, with defaults', () => {
    expect(read(whole)).toEqual({
      problems: [],
      config: {
        issuer: 'https://id.example.org/realms/farm',
        clientId: 'farmstead',
        clientSecret: null,
        scopes: 'openid profile',
        groupsClaim: 'groups',
        rolesOfGroup: new Map([
          ['farm-admins', ['admin']],
          ['cn=ops,dc=x', ['operator', 'approver']],
        ]),
        label: 'Single sign-on',
        publicUrl: 'https://farm.example.org',
      },
    })
  })

  test('the secret is what the file holds', () => {
    const path = join(tempDir(), 'secret')
    writeFileSync(path, 'hush\n')
    const { config } = read({ ...whole, FARMSTEAD_OIDC_CLIENT_SECRET_FILE: path })
    expect(config?.clientSecret).toBe('hush')
  })

  test.each([
    ['FARMSTEAD_PUBLIC_URL', undefined, /FARMSTEAD_PUBLIC_URL must be the address/],
    ['FARMSTEAD_PUBLIC_URL', 'https://farm.example.org/console', /FARMSTEAD_PUBLIC_URL/],
    ['FARMSTEAD_OIDC_ISSUER', 'http://id.example.org', /OIDC_ISSUER must be .* got "http:/],
    ['FARMSTEAD_OIDC_ISSUER', undefined, /OIDC_ISSUER/],
    ['FARMSTEAD_OIDC_CLIENT_ID', undefined, /OIDC_CLIENT_ID must name/],
    ['FARMSTEAD_OIDC_CLIENT_SECRET_FILE', '/nowhere/secret', /cannot be read, \/nowhere/],
    ['FARMSTEAD_OIDC_CLIENT_SECRET_FILE', '/dev/null', /empty file/],
    ['FARMSTEAD_OIDC_ROLES', undefined, /at least one group/],
    ['FARMSTEAD_OIDC_ROLES', 'ops', /must read like/],
    ['FARMSTEAD_OIDC_ROLES', 'ops=king', /got "ops=king"/],
  ])('with %s %s is refused', (name, value, expected) => {
    const { problems } = read({ ...whole, [name]: value })
    expect(problems).toEqual([expect.stringMatching(expected)])
  })
})
