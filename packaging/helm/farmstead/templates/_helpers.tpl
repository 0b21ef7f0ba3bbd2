{{- /* With "-replicas" or a revision's hash behind it, it must be a label of 63 characters at most. */ -}}
{{- define "farmstead.name" -}}
{{- $name := .Release.Name }}
{{- if not (contains .Chart.Name $name) }}{{ $name = printf "%s-%s" $name .Chart.Name }}{{ end }}
{{- $name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "farmstead.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "farmstead.labels" -}}
{{ include "farmstead.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: control-plane
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "farmstead.image" -}}
{{ .Values.image.repository }}
{{- if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end -}}
{{- end }}

{{- define "farmstead.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "farmstead.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end -}}
{{- end }}

{{- define "farmstead.contentsClaim" -}}
{{ .Values.contents.existingClaim | default (printf "%s-contents" (include "farmstead.name" .)) }}
{{- end }}

{{- define "farmstead.agentUrl" -}}
{{ .Values.agents.url | default (printf "https://%s-agents.%s.svc:%d" (include "farmstead.name" .) .Release.Namespace (int .Values.agents.service.port)) }}
{{- end }}

{{- define "farmstead.consoleScheme" -}}
{{ ternary "https" "http" (ne .Values.console.tlsSecret "") }}
{{- end }}
