// SPDX-License-Identifier: MIT
import type { RouteOptions } from 'fastify'
import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { RoleSchema } from '../src/people/roles.ts'
import { type Access, permissionsOf, rolePermissions } from '../src/permissions.ts'
import { requireDeclaredAccess } from '../src/plugins/access.ts'
import { build } from './helper.ts'

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

/** Routes reachable without a session: each one is a decision. */
const PUBLIC = [
  'POST /api/v1/session',
  'GET /api/v1/setup',
  'HEAD /api/v1/setup',
  'POST /api/v1/setup',
  'GET /api/v1/health',
  'HEAD /api/v1/health',
]

describe('every route', () => {
  test('answers each role as its permission says, before it looks at the request', async () => {
    const routes: { method: string; url: string; permission: Access }[] = []
    const service = await build({
      onRoute: ({ method, url, config }: RouteOptions) => {
        const permission = config?.permission
        if (!permission) throw new Error(`${method} ${url}`)
        for (const one of [method].flat()) routes.push({ method: one, url, permission })
      },
    })
    expect(routes.length).toBeGreaterThan(20)
    const roles = await Promise.all(
      RoleSchema.enum.map(async (role) => ({ role, client: await service.as(role) })),
    )
    const open = []
    for (const { method, url, permission } of routes) {
      if (permission === 'public') {
        open.push(`${method} ${url}`)
        continue
      }
      // No id fits: whoever is let in gets 400 or 404, so nothing changes and no stream opens.
      const path = url.replaceAll(/:\w+/g, 'x')
      const headers = { 'last-event-id': 'not-a-number', 'content-type': 'application/json' }
      const request = { method: method as 'GET', url: path, headers }
      expect((await service.anonymous.inject(request)).statusCode, `${method} ${url}`).toBe(401)
      if (permission === 'session:own') continue
      for (const { role, client } of roles) {
        const allowed = permissionsOf([role]).some((has) => has === permission)
        const { statusCode } = await client.inject(request)
        expect(statusCode === 403, `${role}: ${method} ${url} → ${statusCode}`).toBe(!allowed)
      }
    }
    expect(open.sort()).toEqual([...PUBLIC].sort())
  })
})
