import type { Choices } from './choices.ts'
import { type Files, mergeLayers } from './merge-layers.ts'
import type { PackageManager } from './package-manager.ts'
import { ownVersion, templateFiles } from './template-files.ts'

/** Values that the application's files contain. */
export interface Surroundings {
  /** The package name. */
  readonly name: string
  readonly manager: PackageManager
  /** Command that creates a certificate. */
  readonly certificate: string
}

/** Returns the address of the running application. */
export function urlOf({ https }: Choices): string {
  return https ? 'https://localhost:8443/' : 'http://localhost:8080/'
}

/** Returns the application's files. */
export async function applicationFiles(choices: Choices, { name, manager, certificate }: Surroundings): Promise<Files> {
  const layers = await Promise.all(layersOf(choices).map(templateFiles))
  const url = urlOf(choices)
  const { port } = new URL(url)
  const { run, add, lockfile, installInImage } = manager
  const volume = choices.https ? ' --volume ./certificates:/app/certificates:ro' : ''
  const files = mergeLayers(layers, { name, run, add, lockfile, installInImage, url, port, volume })
  return { ...files, 'package.json': finish(files['package.json'] ?? '', choices, certificate, await ownVersion()) }
}

/** Sets the versions of the `@fw` packages, and adds the script `certificate`. */
function finish(manifest: string, { https }: Choices, certificate: string, version: string): string {
  const parsed = JSON.parse(manifest.replaceAll('workspace:^', `^${version}`)) as { scripts: object }
  const scripts = https ? { ...parsed.scripts, certificate } : parsed.scripts
  return `${JSON.stringify({ ...parsed, scripts }, null, 2)}\n`
}

/** Returns the folders in `templates/` that make up the application. Each folder adds its files to the previous ones. */
function layersOf({ template, https, docker, systemd }: Choices): string[] {
  const protocol = https ? 'https' : 'http'
  return [
    'shared',
    template,
    systemd ? `main/${protocol}-systemd` : `main/${protocol}`,
    ...(https ? ['https'] : []),
    ...(docker ? ['docker'] : []),
    ...(systemd ? [`systemd/${protocol}`] : []),
  ]
}
