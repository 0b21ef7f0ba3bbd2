// SPDX-License-Identifier: MIT
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { CertificateScreen } from '../features/certificates/certificate-screen.tsx'
import { CertificatesScreen } from '../features/certificates/certificates-screen.tsx'
import { EditScreen } from '../features/certificates/managed/edit-screen.tsx'
import { OrderScreen } from '../features/certificates/managed/order-screen.tsx'

const listRoute = getRouteApi('/app/certificates')
const oneRoute = getRouteApi('/app/certificates/$name')
const editRoute = getRouteApi('/app/certificates/$name/edit')
const orderRoute = getRouteApi('/app/order-certificate')

export function CertificatesPage() {
  const { session } = listRoute.useRouteContext()
  const navigate = useNavigate()
  return (
    <CertificatesScreen
      session={session}
      search={listRoute.useSearch()}
      onSearch={(search) => void navigate({ to: '/certificates', search, replace: true })}
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

export function OrderCertificatePage() {
  const { session } = orderRoute.useRouteContext()
  const { name } = orderRoute.useSearch()
  const navigate = useNavigate()
  return (
    <OrderScreen
      key={name ?? ''}
      name={name ?? null}
      session={session}
      onOrdered={(ordered) =>
        void navigate({
          to: '/certificates/$name',
          params: { name: ordered },
          ignoreBlocker: true,
        })
      }
    />
  )
}

export function EditCertificatePage() {
  const { name } = editRoute.useParams()
  const { session } = editRoute.useRouteContext()
  const navigate = useNavigate()
  return (
    <EditScreen
      key={name}
      name={name}
      session={session}
      onSaved={() =>
        void navigate({ to: '/certificates/$name', params: { name }, ignoreBlocker: true })
      }
    />
  )
}
