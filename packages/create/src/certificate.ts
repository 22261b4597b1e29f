import { runCommand } from './command.ts'

/** Program that creates a certificate for this machine. */
export interface CertificateTool {
  readonly name: 'mkcert' | 'openssl'
  /** A command that succeeds only if the program is installed. */
  readonly probe: string
  /** Writes `certificates/key.pem` and `certificates/cert.pem`. */
  readonly command: string
}

const MKCERT: CertificateTool = {
  name: 'mkcert',
  probe: 'mkcert -version',
  command: 'mkcert -key-file certificates/key.pem -cert-file certificates/cert.pem localhost 127.0.0.1 ::1',
}

const OPENSSL: CertificateTool = {
  name: 'openssl',
  probe: 'openssl version',
  command:
    'openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -days 365 -subj /CN=localhost ' +
    '-addext subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1 ' +
    '-keyout certificates/key.pem -out certificates/cert.pem',
}

/**
 * Returns the program to use, or `undefined` if none is installed. Prefers mkcert, because browsers trust its
 * certificates.
 */
export async function certificateTool(): Promise<CertificateTool | undefined> {
  for (const tool of [MKCERT, OPENSSL]) {
    if ((await runCommand(tool.probe, '.', 'ignore')) === 0) return tool
  }
  return undefined
}

/** Returns the command for the script `certificate`, or the mkcert command if no program is installed. */
export function certificateScript(tool: CertificateTool | undefined): string {
  return (tool ?? MKCERT).command
}

/** Creates a certificate in an application. Reports whether it succeeded. */
export async function makeCertificate({ command }: CertificateTool, folder: string): Promise<boolean> {
  return (await runCommand(command, folder, 'ignore')) === 0
}
