// SPDX-License-Identifier: MIT
// npm run permissions: prints which role may call which route. A test fails when docs/permissions.md differs.
import { createPermissionsTable } from './access/permissions-table.ts'
import { printFrom } from './print-from-service.ts'

const table = createPermissionsTable()
await printFrom(() => table.toMarkdown(), { onRoute: table.add })
