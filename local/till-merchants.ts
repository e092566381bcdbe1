import type { PurchaseRequest } from '../sandbox/engine/purchase-request.ts';

/** A shop at the cash register, with what the purchase carries besides card and amount. */
export interface TillMerchant {
  readonly id: string;
  readonly label: string;
  readonly request: Omit<PurchaseRequest, 'AcctId' | 'Amount'>;
}

const inAlbany = { MerchantCity: 'Albany', MerchantState: 'NY' };

/** One shop for each thing that a card's rules may ask about: category, country, presence. */
export const TILL_MERCHANTS: readonly TillMerchant[] = [
  {
    id: 'diner',
    label: 'Corner Diner (restaurant)',
    request: { MerchantName: 'Corner Diner', MCCCode: '5812', ...inAlbany },
  },
  {
    id: 'hardware',
    label: 'Oak Hardware (tools and timber)',
    request: { MerchantName: 'Oak Hardware', MCCCode: '5251', ...inAlbany },
  },
  {
    id: 'fuel',
    label: 'Route 9 Fuel (at the pump)',
    request: { MerchantName: 'Route 9 Fuel', MCCCode: '5542', ...inAlbany },
  },
  {
    id: 'hotel',
    label: 'Lakeside Hotel',
    request: { MerchantName: 'Lakeside Hotel', MCCCode: '7011', MerchantCity: 'Burlington', MerchantState: 'VT' },
  },
  {
    id: 'online',
    label: 'Paper and Pens Online (card not present)',
    request: { MerchantName: 'Paper and Pens Online', MCCCode: '5943', IsCardPresent: false },
  },
  {
    id: 'abroad',
    label: 'Librairie du Port (in France)',
    request: {
      MerchantName: 'Librairie du Port',
      MCCCode: '5942',
      MerchantCity: 'Marseille',
      MerchantState: '',
      MerchantCountry: 'FR',
    },
  },
  {
    id: 'casino',
    label: 'Lucky Seven (casino)',
    request: { MerchantName: 'Lucky Seven', MCCCode: '7995', MerchantCity: 'Reno', MerchantState: 'NV' },
  },
];
