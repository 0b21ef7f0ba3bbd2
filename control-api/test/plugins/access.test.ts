// SPDX-License-Identifier: MIT
import type { RouteOptions } from 'fastify'
import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { type Access, permissionsOf, rolePermissions } from '../../src/access/permissions.ts'
import { RoleSchema } from '../../src/access/roles.ts'
import { requireDeclaredAccess } from '../../src/plugins/access.ts'
import { build, withToken } from '../helper.ts'

test('a route that declares no permission stops the service from starting', () => {
  const app = Fastify()
  requireDeclaredAccess(app)
  expect(() => app.get('/forgotten', async () => 'secret')).toThrow(
    /GET \/forgotten declares no permission/,
  )
})

test('every role is in the table, and only an administrator may do everything', () => {
  expect(Object.keys(rolePermissions).sort()).toEqual([...RoleSchema.enum].sort())
  const all = permissionsOf(['admin'])
  for (const role of RoleSchema.enum) {
    expect(all).toEqual(expect.arrayContaining(permissionsOf([role])))
    if (role !== 'admin') expect(permissionsOf([role]).length).toBeLessThan(all.length)
  }
})

type Route = { method: string; url: string; permission: Access; forTokensToo: true | undefined }

/** Routes reachable without a session: each one is a decision. */
const PUBLIC = [
  'GET /api/v1/session/methods',
  'HEAD /api/v1/session/methods',
  'GET /api/v1/session/oidc',
  'GET /api/v1/session/oidc/callback',

  'POST /api/v1/session',
  'GET /api/v1/setup',
  'HEAD /api/v1/setup',
  'POST /api/v1/setup',
  'GET /api/v1/health',
  'GET /api/v1/ready',
  'HEAD /api/v1/health',
  'HEAD /api/v1/ready',
]

describe('every route', () => {
  test('answers each role as its permission says, before it looks at the request', async () => {
    const routes: Route[] = []
    const service = await build({
      onRoute: ({ method, url, config }: RouteOptions) => {
        const { permission, forTokensToo } = config ?? {}
        if (!permission) throw new Error(`${method} ${url}`)
        for (const one of [method].flat())
          routes.push({ method: one, url, permission, forTokensToo })
      },
    })
    expect(routes.length).toBeGreaterThan(20)
    const roles = await Promise.all(
      RoleSchema.enum.map(async (role) => {
        const client = await service.as(role)
        return { role, client, program: await withToken(service, client) }
      }),
    )
    const open = []
    for (const { method, url, permission, forTokensToo } of routes) {
      if (permission === 'public') {
        open.push(`${method} ${url}`)
        continue
      }
      // No id fits: whoever is let in gets 400 or 404, so nothing changes and no stream opens.
      const path = url.replaceAll(/:\w+/g, 'x')
      const headers = { 'last-event-id': 'not-a-number', 'content-type': 'application/json' }
      const request = { method: method as 'GET', url: path, headers }
      expect((await service.anonymous.inject(request)).statusCode, `${method} ${url}`).toBe(401)
      for (const { role, client, program } of roles) {
        if (permission === 'session:own') {
          const { statusCode } = await program.inject(request)
          expect(statusCode === 403, `token of ${role}: ${method} ${url}`).toBe(!forTokensToo)
          continue
        }
        const allowed = permissionsOf([role]).some((has) => has === permission)
        for (const [who, caller] of Object.entries({ person: client, program })) {
          const { statusCode } = await caller.inject(request)
          const said = `${who}, ${role}: ${method} ${url} → ${statusCode}`
          expect(statusCode === 403, said).toBe(!allowed)
        }
      }
    }
    expect(open.sort()).toEqual([...PUBLIC].sort())
    // Each route by each role, twice: more than a thousand requests.
  }, 120_000)
})
