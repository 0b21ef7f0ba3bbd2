// SPDX-License-Identifier: MIT
/** The environment of a node, in which the calls of `name`.c, which lies beside this, come before the system's. */
export function preloadEnv(name: string, env?: Record<string, string>): Record<string, string>
