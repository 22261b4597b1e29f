/** Templates with their descriptions. The first one is the default. */
export const TEMPLATES = {
  minimal: 'one route and a test',
  api: 'a JSON API with validation and an access log',
  live: 'a page that the server updates by events',
  spa: 'a single-page application and its API',
} as const

export type Template = keyof typeof TEMPLATES

/** All choices that the user makes. */
export interface Choices {
  /** Path, relative to the working directory. */
  readonly folder: string
  readonly template: Template
  /** Whether to create a certificate for this machine and serve HTTPS with it. */
  readonly https: boolean
  readonly docker: boolean
  readonly systemd: boolean
  /** Whether to install the dependencies. */
  readonly install: boolean
  /** Whether to make the folder a git repository. */
  readonly git: boolean
}

/** Choices if the user presses Enter at every question. */
export const DEFAULTS: Choices = {
  folder: 'my-app',
  template: 'minimal',
  https: false,
  docker: false,
  systemd: false,
  install: true,
  git: true,
}

export function isTemplate(name: string): name is Template {
  return Object.hasOwn(TEMPLATES, name)
}
