// SPDX-License-Identifier: MIT
// The order of the rooms of control-api/src, held by dependency-cruiser (`npm run check`). Imports of types count:
// a reader follows them like others. A new room gets a floor here.

const SRC = '^control-api/src/'

/** From the lowest. A room imports from floors below its own, and from no other room of its own floor. */
const FLOORS = [
  ['base', 'histogram', 'labels', 'storage'],
  ['api-shapes'],
  ['access', 'agent-protocol', 'ca', 'json', 'release-store'],
  ['db', 'http', 'metrics-store'],
  ['audit', 'backup'],
  ['certificates', 'environment', 'fleet', 'idempotency', 'neighbours', 'people', 'releases'],
  ['acme', 'console-tls', 'node-identity', 'replicas'],
  ['control-plane'],
  ['assignments', 'node-check', 'openapi'],
  ['plugins'],
  ['agents', 'features'],
  ['named-schemas.ts', 'process'],
  ['acme-for-service.ts', 'deciding-for-service.ts', 'every-route.ts'],
  ['parts.ts'],
  ['telemetry-for-service.ts', 'trying-for-service.ts'],
  ['routes.ts'],
  ['admin', 'app.ts'],
  ['print-from-service.ts', 'server.ts'],
  ['print-openapi.ts', 'print-permissions.ts'],
]
/** A client of the public API, in a program of its own. */
const CLIENT = 'farmctl'
/** Of the service's what farmctl may use, and what does no more than compute. */
const PURE = [
  'base/known-environment',
  'base/line-diff',
  'base/nearest-name',
  'base/private-file',
  'base/terminal-text',
  'base/text-diff',
  'base/utf8',
  'features/importers/apache/lexer',
  'features/importers/apache/modules',
  'features/importers/apache/parser',
  'features/importers/caddy/lexer',
  'features/importers/caddy/parser',
  'features/importers/cursor',
  'features/importers/lighttpd/lexer',
  'features/importers/lighttpd/parser',
  'features/importers/lighttpd/values',
  'features/importers/nginx/lexer',
  'features/importers/nginx/parser',
  'features/importers/paths',
  'features/importers/request',
  'features/importers/tree',
  'labels/selector',
  'release-store/entries',
]
/** Within a large feature, from the lowest; what lies beside its folders is above them. */
const WITHIN = {
  configs: ['text', 'diff|render', 'check|drafts'],
  rollouts: ['shapes', 'reducer', 'store|words', 'gates|plan', 'queue', 'engine'],
}

/** @param {readonly string[]} rooms */
const inRooms = (rooms) =>
  `(${rooms.map((room) => (room.endsWith('.ts') ? room.replace('.', '\\.') : `${room}/`)).join('|')})`

/**
 * @param {string} name
 * @param {string} comment
 * @param {Pick<import('dependency-cruiser').IRegularForbiddenRuleType, 'from' | 'to'>} imports
 * @returns {import('dependency-cruiser').IForbiddenRuleType}
 */
const forbid = (name, comment, imports) => ({ name, comment, severity: 'error', ...imports })

const order = FLOORS.map((rooms, floor) =>
  forbid(
    `floor-${floor + 1}`,
    `${rooms.join(', ')}: what is on this floor or above is not theirs to import.`,
    {
      from: { path: `${SRC}${inRooms(rooms)}` },
      to: { path: `${SRC}${inRooms(FLOORS.slice(floor).flat())}`, pathNot: `${SRC}$1` },
    },
  ),
)

const within = Object.entries(WITHIN).flatMap(([feature, floors]) =>
  floors.map((folders, floor) =>
    forbid(
      `${feature}-floor-${floor + 1}`,
      `Within features/${feature}: ${floors.join(' < ')} < what lies beside them.`,
      {
        from: { path: `${SRC}features/${feature}/(${folders})/` },
        to: {
          path: `${SRC}features/${feature}/(?:[^/]+\\.ts|(?:${floors.slice(floor).join('|')})/)`,
          pathNot: `${SRC}features/${feature}/$1/`,
        },
      },
    ),
  ),
)

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...order,
    ...within,
    forbid(
      'no-circle',
      'Files that import each other, directly or not, are one file for who reads them.',
      {
        from: {},
        to: { circular: true },
      },
    ),
    forbid('unknown-room', 'It has no floor in scripts/rooms/rules.mjs.', {
      from: { path: SRC, pathNot: `${SRC}(?:${inRooms(FLOORS.flat())}|${CLIENT}/)` },
      to: {},
    }),
    forbid(
      'no-other-feature',
      'app.ts wires them by fleet/*-ports.ts. Rollouts follow the farm’s rules.',
      {
        from: { path: `${SRC}features/([^/]+)/` },
        to: {
          path: `${SRC}features/`,
          pathNot: [`${SRC}features/$1/`, `${SRC}features/rollout-rules/`],
        },
      },
    ),
    forbid('rules-for-rollouts-alone', 'The farm’s rules for rollouts are asked by rollouts.', {
      from: { path: `${SRC}features/`, pathNot: `${SRC}features/rollout(?:s|-rules)/` },
      to: { path: `${SRC}features/rollout-rules/` },
    }),
    forbid(
      'agents-for-app-alone',
      'The channel to the nodes is wired in app.ts; others know fleet/, assignments/ and node-identity/.',
      {
        from: { path: SRC, pathNot: `${SRC}(?:agents/|app\\.ts)` },
        to: { path: `${SRC}agents/` },
      },
    ),
    forbid(
      'client-of-the-api',
      'farmctl speaks HTTP with the service. What it shares with it only computes, or says where files are.',
      {
        from: { path: `${SRC}${CLIENT}/` },
        to: { path: SRC, pathNot: `${SRC}(?:${CLIENT}/|(?:base/places|${PURE.join('|')})\\.ts$)` },
      },
    ),
    forbid('nobody-of-the-service-is-a-client', 'farmctl is a program of its own.', {
      from: { path: SRC, pathNot: `${SRC}${CLIENT}/` },
      to: { path: `${SRC}${CLIENT}/` },
    }),
    forbid('pure', 'farmctl starts with it: it must not bring the service along.', {
      from: { path: `${SRC}(?:${PURE.join('|')})\\.ts$` },
      to: { pathNot: `${SRC}(?:${PURE.join('|')})\\.ts$` },
    }),
    forbid('sqlite-where-databases-are-opened', 'Others ask by Kysely.', {
      from: {
        path: SRC,
        pathNot: `${SRC}(?:db/(?:lock|sqlite/.*)|metrics-store/(?:metrics-db|open))\\.ts$`,
      },
      to: { path: 'better-sqlite3' },
    }),
    forbid('postgres-where-databases-are-opened', 'Others ask by Kysely, or the metrics store.', {
      from: {
        path: SRC,
        pathNot: `${SRC}(?:db/postgres/.*|metrics-store/postgres/connection)\\.ts$`,
      },
      to: { path: 'node_modules/(?:@types/)?pg/' },
    }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'control-api/tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node'],
    },
  },
}
