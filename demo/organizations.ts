/** The organizations of the demo: a group of fictional companies (RFC 2606 names). */

/** One tenant. */
export interface Organization {
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  /** Domain of its public names. */
  readonly domain: string;
  /** Names with certificates of public authorities. */
  readonly publicHosts: readonly string[];
  /** Names with certificates of the group's own authorities. */
  readonly innerHosts: readonly string[];
}

const words = (text: string): readonly string[] => text.split(" ");

/** The tenants. */
export const ORGANIZATIONS: readonly Organization[] = [
  {
    name: "Platform Engineering",
    slug: "platform",
    description: "What all companies of the group share",
    domain: "aldgate.example",
    publicHosts: words("www status sso vpn docs cdn mail git registry telemetry"),
    innerHosts: words(
      "vault consul etcd-1 etcd-2 etcd-3 kube-api grafana prometheus loki argo backup ldap-1 ldap-2 kafka-1 " +
        "kafka-2 kafka-3 rabbit postgres-1 postgres-2 redis netbox dns-1 dns-2 ntp jump ipam wiki jira",
    ),
  },
  {
    name: "Alder & Pine Retail",
    slug: "alder-pine",
    description: "Shops in nine countries, and on the web",
    domain: "alderpine.example",
    publicHosts: words(
      "www shop api checkout account media search loyalty gift returns partners careers fr de it es nl img pay m",
    ),
    innerHosts: words("pos-1 pos-2 pos-3 stock pim erp warehouse label-print hr reports bi feed"),
  },
  {
    name: "Harbor Bank",
    slug: "harbor-bank",
    description: "Retail bank; card data, so PCI DSS",
    domain: "harborbank.example",
    publicHosts: words("www online api cards loans mobile psd2 sandbox investor secure wealth"),
    innerHosts: words(
      "core ledger swift atm-gw hsm-1 hsm-2 fraud aml kyc batch mq-1 mq-2 dwh crm teller clearing audit esb ca ocsp",
    ),
  },
  {
    name: "Meridian Health",
    slug: "meridian-health",
    description: "Clinics and their laboratories",
    domain: "meridianhealth.example",
    publicHosts: words("www portal booking api telehealth labs pharmacy staff fhir"),
    innerHosts: words(
      "pacs ris lis ehr hl7 archive mirth dicom-gw nurse-call scheduling imaging-1 imaging-2",
    ),
  },
  {
    name: "Kestrel Logistics",
    slug: "kestrel",
    description: "Parcels, and the vans that bring them",
    domain: "kestrel.example",
    publicHosts: words("www track api customs drivers quote edi b2b fleet"),
    innerHosts: words("wms tms scan-1 scan-2 gate-1 gate-2 telematics mqtt route printing"),
  },
  {
    name: "Lumen Press",
    slug: "lumen-press",
    description: "Two newspapers and a printing house",
    domain: "lumenpress.example",
    publicHosts: words("www morning evening abo cms images api live podcast newsletter archive comments"),
    innerHosts: words("editorial layout adserver print-1 print-2 dam"),
  },
];

/** Tags: slug, name, colour, meaning. */
export const TAGS: readonly (readonly [slug: string, name: string, color: string, description: string])[] = [
  ["production", "Production", "2e7d32", "Customers notice when it fails"],
  ["staging", "Staging", "1565c0", "For trying things out"],
  ["pci", "PCI DSS", "c62828", "Touches card data"],
  ["internet", "Internet-facing", "ef6c00", "Reachable from the Internet"],
  ["internal", "Internal", "546e7a", "Reachable from inside only"],
  ["mtls", "mTLS", "6a1b9a", "Clients present certificates, too"],
  ["legacy", "Legacy", "795548", "To be switched off"],
  ["wildcard", "Wildcard", "00838f", "One certificate for many names"],
];
