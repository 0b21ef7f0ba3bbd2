// SPDX-License-Identifier: MIT
// npm run agent-types
import { printMessageTypes, readProtocolSchemas } from './message-types.ts'

process.stdout.write(printMessageTypes(readProtocolSchemas()))
