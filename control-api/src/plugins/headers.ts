// SPDX-License-Identifier: MIT
// Security headers, strict enough that injected markup finds nothing to run or to talk to.
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'

/** Answers say what only their caller may know: no cache on the way, nor the browser's, keeps one for the next. */
export function keepFromCaches(app: FastifyInstance, prefix: string): void {
  app.addHook('onRequest', async ({ url }, reply) => {
    if (url === prefix || url.startsWith(`${prefix}/`)) reply.header('cache-control', 'no-store')
  })
}

/** `hstsSeconds` 0: over plain HTTP the header means nothing, and behind a proxy whoever ends TLS knows whether to promise it. */
export async function securityHeaders(app: FastifyInstance, hstsSeconds: number): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        // The component kit sets sizes and colours through style attributes and one <style> element.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        workerSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: hstsSeconds > 0 && {
      maxAge: hstsSeconds,
      includeSubDomains: false,
      preload: false,
    },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  })
}
