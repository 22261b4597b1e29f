/** A certificate with its chain, and its private key, in PEM, as text or as files. */
export type TlsCertificate =
  | { readonly key: string | Buffer; readonly cert: string | Buffer }
  | {
      readonly keyFile: string | URL
      readonly certFile: string | URL
      /** Load the files again when they change. */
      readonly watch?: boolean
      /** How often to look, 2,000 ms by default. */
      readonly watchIntervalMs?: number
    }

/** One certificate, or several: by the name that a client asks for (SNI), the first one for all other names. */
export type TlsCertificates = TlsCertificate | readonly TlsCertificate[]

/** Certificates, or a function that has them: it is asked at the start and on each `server.reloadTls()`. */
export type TlsOptions = TlsCertificates | (() => TlsCertificates | Promise<TlsCertificates>)
