// SPDX-License-Identifier: MIT
// Configs of other servers as drafts. Nothing is stored, and nothing is read but the files of the request.
import type { ConfigError } from '../../api-shapes/common.ts'
import type { App } from '../../http/app-types.ts'
import { limits } from '../../plugins/limits.ts'
import { ImportTooLarge, ImportTooMuch, ImportUnreadable } from './errors.ts'
import { startImportWork } from './import-work.ts'
import { knownImports } from './known.ts'
import { MOST_CHARACTERS } from './request.ts'
import { ImportBodySchema, ImportSchema, KnownImportsSchema } from './schema.ts'

type Deps = { validate: (text: string) => Promise<{ ok: boolean; errors: ConfigError[] }> }

export const importRoutes =
  ({ validate }: Deps) =>
  async (app: App) => {
    const work = startImportWork()
    app.addHook('onClose', () => work.close())

    app.get(
      '/imports',
      {
        config: { permission: 'configs:read' },
        schema: {
          operationId: 'describeImports',
          tags: ['configs'],
          summary: 'Which servers’ configs can be imported, and how much at once',
          response: { 200: KnownImportsSchema },
        },
      },
      () => knownImports,
    )

    app.post(
      '/imports',
      {
        config: {
          permission: 'configs:read',
          rateLimit: limits.expensive,
          heavy: true,
          idempotency: false,
          errors: [ImportTooLarge, ImportTooMuch, ImportUnreadable],
        },
        schema: {
          operationId: 'importConfig',
          tags: ['configs'],
          summary:
            'What another server’s config becomes: a draft, and what became of each directive. Nothing is stored',
          description:
            'Includes are looked for among `files` alone. Each directive is `taken`, `different` (its notes say what and why) or `unsupported` (they say what to do instead).',
          body: ImportBodySchema,
          response: { 200: ImportSchema },
        },
      },
      async ({ body }) => {
        if (body.files.reduce((sum, { text }) => sum + text.length, 0) > MOST_CHARACTERS) {
          throw new ImportTooLarge(MOST_CHARACTERS)
        }
        const read = await work.read(body)
        if (read.kind === 'too-much') throw new ImportTooMuch(read.why)
        if (read.kind === 'unreadable') {
          const { file, line, column } = read.place
          throw new ImportUnreadable(body.language, read.place, read.why).withMembers({
            place: { file, line, column },
          })
        }
        const { draft, gains, findings, report } = read
        const { ok, errors } = draft === null ? { ok: false, errors: [] } : await validate(draft)
        return { draft, ok, errors, gains, findings, report }
      },
    )
  }
