import { relative } from 'node:path'
import { type Choices, DEFAULTS, TEMPLATES } from './choices.ts'
import type { PackageManager } from './package-manager.ts'

/** Returns the text of `--help`. */
export function helpText({ create }: PackageManager): string {
  const templates = Object.entries(TEMPLATES).map(([name, description]) => `    ${name.padEnd(16)}${description}`)
  return `Creates an application with @fw/core. Asks about the choices that the flags leave open.

  ${create} [folder] [flags]

  --template <name>   one of
${templates.join('\n')}
  --https             creates a certificate for this machine with mkcert or openssl, and serves HTTPS
  --docker            adds a Dockerfile
  --systemd           adds a service and a socket
  --no-install        does not install the dependencies
  --no-git            does not run git init
  --yes, -y           asks no questions: folder ${DEFAULTS.folder}, template ${DEFAULTS.template}, no HTTPS, no deployment files
  --help, -h          shows this text

The folder must be empty or new. The program does not send any data; only the installation uses the network.
`
}

/** Returns the three commands to type next. */
export function nextCommands({ install }: Choices, folder: string, manager: PackageManager): string[] {
  const path = relative('.', folder)
  const quoted = /[^\w./\\:@-]/.test(path) ? `"${path}"` : path
  const commands = [
    ...(path === '' ? [] : [`cd ${quoted}`]),
    ...(install ? [] : [manager.install]),
    `${manager.run} dev`,
    `${manager.run} test`,
    `${manager.run} check`,
  ]
  return commands.slice(0, 3)
}

/** Explains the warning that a browser shows for a certificate created by openssl. */
export const BROWSER_WARNING: string =
  'No authority signed the certificate that openssl created, so the browser warns about it. Continue anyway, because it never\n' +
  'leaves your machine, or install mkcert and run the script "certificate".'
