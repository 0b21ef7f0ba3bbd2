// SPDX-License-Identifier: MIT
// npm run openapi: prints the API's description. A test fails when openapi.json differs from it.
import { printFrom } from './print-from-service.ts'

await printFrom(({ app }) => `${JSON.stringify(app.swagger(), null, 2)}\n`)
