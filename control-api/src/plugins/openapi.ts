// SPDX-License-Identifier: MIT
// The API's description, made from the routes themselves. openapi.json is its committed copy, from which
// the console's and the CLI's types are generated.
import swagger from '@fastify/swagger'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import { ConfigErrorSchema, ProblemSchema } from '../api-shapes/common.ts'
import {
  addEtags,
  addExamples,
  operationsOf,
  serializedAs,
  withRefusals,
} from '../openapi/document.ts'
import { type NamedSchemas, nameSchemas } from '../openapi/named-parts.ts'
import { tagDescriptions } from '../openapi/tags.ts'
import { bodyLimitOf } from './limits.ts'

/** Must be registered before the routes it describes. */
export async function describeApi(
  app: FastifyInstance,
  { version, schemas }: { version: string; schemas: NamedSchemas },
): Promise<void> {
  app.addHook('onRoute', (route) => {
    // The description leaves HEAD out, and what answers it has no body.
    if (!route.schema || route.schema.hide || route.method === 'HEAD') return
    route.schema.response = serializedAs(route.schema.response)
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Farmstead control plane',
        version,
        description:
          'Everything the console does, it does through this API. Errors are problems (RFC 9457) with a stable `code`; each operation lists its own. Times are ISO 8601 UTC. A request that changes something with a session cookie must carry the Origin of the service. docs/api.md tells how to call it.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'This control plane' }],
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
        response: withRefusals(route),
        security: securityOf(route.config ?? {}),
        ...(schema?.body !== undefined && {
          'x-body-limit-bytes': bodyLimitOf({ schema, config: route.config }),
        }),
      },
    }),
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject
      const described = document.openapiObject
      addExamples(described)
      addEtags(described)
      const named = nameSchemas(described, {
        Problem: ProblemSchema,
        ConfigError: ConfigErrorSchema,
        ...schemas,
      })
      return { ...named, tags: tagsOf(described) }
    },
  })
}

function securityOf({ permission, forTokensToo }: FastifyContextConfig) {
  if (permission === 'public') return []
  const forPeople = permission === 'session:own' && !forTokensToo
  return forPeople ? [{ session: [] }] : [{ session: [] }, { token: [] }]
}

function tagsOf(document: object): { name: string; description: string }[] {
  const used = new Set(operationsOf(document).flatMap(({ tags }) => tags as string[]))
  return Object.entries(tagDescriptions)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }))
}
