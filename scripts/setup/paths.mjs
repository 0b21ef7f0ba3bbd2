// SPDX-License-Identifier: MIT
// Where set-up keeps things. Everything outside the sources is in .tools/ (set-up), .farm/ (the
// running farm) and the parts' own build folders: deleting those is a clean start.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const toolsDir = join(root, '.tools')
export const logFile = join(toolsDir, 'setup.log')
export const nodeBinary = join(root, 'server-c/build/release/farmstead-node')
/** Helm, and schemas of Kubernetes. */
export const chartToolsDir = join(toolsDir, 'chart')
export const schemathesisDir = join(toolsDir, 'schemathesis')
export const consoleDir = join(root, 'web-ui/dist')
/** The control plane's programs, bundled. */
export const programsDir = join(root, 'control-api/dist/current')
