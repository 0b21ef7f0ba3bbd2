// SPDX-License-Identifier: MIT
// docs/permissions.md, made from the routes themselves.
import type { RouteOptions } from 'fastify'
import { type Access, permissionsOf } from './permissions.ts'
import { RoleSchema } from './roles.ts'
import { type Reach, reachOf } from './scope.ts'

type Row = { method: string; url: string; permission: Access; reach: Reach }

const ROLES = RoleSchema.enum
const INTRO = `# Who may call which route

Made by \`npm run permissions -w control-api\` from the routes; a test fails when it differs, and another calls every route as
every role. \`public\` needs no sign-in; \`session:own\` is everybody who is signed in. The last column is what is left to a user with a scope:
**own nodes** (the others are not there), **no** (it concerns the whole farm), **yes** (it concerns no node).
`
const SCOPED: Record<Reach, string> = {
  node: 'own nodes',
  nodes: 'own nodes',
  farm: 'no',
  none: 'yes',
}

export function createPermissionsTable() {
  const rows: Row[] = []
  return {
    /** For Fastify's hook onRoute. */
    add({ method, url, config }: RouteOptions): void {
      const permission = config?.permission
      if (permission === undefined) return
      const reach = reachOf(url, permission, config?.scope)
      for (const one of [method].flat().filter((name) => name !== 'HEAD' && name !== 'OPTIONS'))
        rows.push({ method: one, url, permission, reach })
    },
    toMarkdown(): string {
      const sorted = rows.toSorted(
        (a, b) => a.url.localeCompare(b.url) || a.method.localeCompare(b.method),
      )
      const head = ['route', 'permission', ...ROLES, 'with a scope']
      const lines = [head, head.map(() => '---'), ...sorted.map(cells)]
      return `${INTRO}\n${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`
    },
  }
}

function cells({ method, url, permission, reach }: Row): string[] {
  const may = ROLES.map((role) => {
    const has = permission === 'public' || permissionsOf([role]).some((one) => one === permission)
    return has ? '✓' : ''
  })
  const path = url.replaceAll(/:(\w+)/g, '{$1}')
  return [`\`${method} ${path}\``, `\`${permission}\``, ...may, SCOPED[reach]]
}
