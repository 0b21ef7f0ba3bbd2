// SPDX-License-Identifier: MIT
// The API's description, made from the routes themselves. openapi.json is its committed copy, from which
// the console's and the CLI's types are generated.
import swagger from '@fastify/swagger'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import { ConfigErrorSchema, ProblemSchema } from '../schema/common.ts'

/** Shapes that get a name in the description. A part that equals one refers to it. */
export type NamedSchemas = Record<string, object>

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: ProblemSchema } },
})

/** Must be registered before the routes it describes. */
export async function describeApi(
  app: FastifyInstance,
  { version, schemas }: { version: string; schemas: NamedSchemas },
): Promise<void> {
  app.addHook('onRoute', (route) => {
    if (!route.schema || route.schema.hide) return
    // Every route can be refused; saying so here keeps it true for routes to come.
    route.schema.response = {
      ...(route.schema.response ?? {}),
      ...(route.config?.permission !== 'public' && {
        401: problem('Not signed in'),
        403: problem('Not allowed, or the password must be changed first'),
      }),
      '4xx': problem('The request was refused; `code` and `detail` say why'),
      '5xx': problem('The service failed, or cannot serve now'),
    }
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Farmstead control plane',
        version,
        description:
          'Everything the console does, it does through this API. Errors are problems (RFC 9457). Times are ISO 8601 UTC. A request that changes something with a session cookie must carry the Origin of the service.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      components: {
        securitySchemes: {
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'farmstead_session',
            description: 'Set by POST /api/v1/session',
          },
          token: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'fsa_…',
            description: 'Made by POST /api/v1/tokens',
          },
        },
      },
    },
    transform: ({ schema, url, route }) => ({
      url,
      schema: {
        ...schema,
        security: securityOf(route.config ?? {}),
      },
    }),
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject
      return nameSchemas(document.openapiObject, {
        Problem: ProblemSchema,
        ConfigError: ConfigErrorSchema,
        ...schemas,
      })
    },
  })
}

function securityOf({ permission, forTokensToo }: FastifyContextConfig) {
  if (permission === 'public') return []
  const forPeople = permission === 'session:own' && !forTokensToo
  return forPeople ? [{ session: [] }] : [{ session: [] }, { token: [] }]
}

/** Replaces parts that equal a named schema by a reference to it. */
function nameSchemas<T extends { components?: object }>(document: T, schemas: NamedSchemas): T {
  // Bottom up, so that a shape made of named shapes is found with those already replaced.
  const names = new Map<string, string>()
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace)
    if (typeof value !== 'object' || value === null) return value
    const inner = Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, replace(part)]),
    )
    const name = names.get(JSON.stringify(inner))
    return name ? { $ref: `#/components/schemas/${name}` } : inner
  }
  const named: Record<string, unknown> = {}
  const bySize = Object.entries(schemas)
    .map(([name, schema]) => ({ name, schema: JSON.parse(JSON.stringify(schema)) }))
    .sort((a, b) => JSON.stringify(a.schema).length - JSON.stringify(b.schema).length)
  for (const { name, schema } of bySize) {
    const shape = replace(schema)
    named[name] = shape
    names.set(JSON.stringify(shape), name)
  }
  const { components, ...rest } = document
  const sorted = Object.fromEntries(Object.entries(named).sort(([a], [b]) => a.localeCompare(b)))
  return { ...(replace(rest) as T), components: { ...components, schemas: sorted } }
}
