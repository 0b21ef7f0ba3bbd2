// SPDX-License-Identifier: MIT
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { CertificateScreen } from '../features/certificates/certificate-screen.tsx'
import { CertificatesScreen } from '../features/certificates/certificates-screen.tsx'

const listRoute = getRouteApi('/app/certificates')
const oneRoute = getRouteApi('/app/certificates/$name')

export function CertificatesPage() {
  const { session } = listRoute.useRouteContext()
  const navigate = useNavigate()
  return (
    <CertificatesScreen
      session={session}
      onKept={(name) => void navigate({ to: '/certificates/$name', params: { name } })}
    />
  )
}

export function CertificatePage() {
  const { name } = oneRoute.useParams()
  const { session } = oneRoute.useRouteContext()
  const navigate = useNavigate()
  return (
    <CertificateScreen
      key={name}
      name={name}
      session={session}
      onDeleted={() => void navigate({ to: '/certificates' })}
    />
  )
}
