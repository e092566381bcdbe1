import type { Button } from '@slack/types';
import type { CardFacts } from '../../src/core/card-facts.ts';
import type { ShippingEvent } from '../../src/core/event.ts';
import { type Carrier, carrierOfForm } from '../../src/core/tracking-number.ts';
import { actionId } from '../../src/slack/action-id.ts';
import { dateToken, link } from '../../src/slack/mrkdwn.ts';
import { button, escapeUntrusted, type Field } from './blocks.ts';
import { cardOfHolderRaw } from './card-words.ts';

interface TrackingLink {
  readonly carrier: Carrier;
  readonly url: string;
}

/** The carriers' public pages; the number follows. */
const pages: Readonly<Record<Carrier, string>> = {
  USPS: 'https://tools.usps.com/go/TrackConfirmAction?tLabels=',
  UPS: 'https://www.ups.com/track?tracknum=',
  FedEx: 'https://www.fedex.com/fedextrack/?trknbr=',
  DHL: 'https://www.dhl.com/us-en/home/tracking.html?tracking-id=',
};

const named: readonly (readonly [RegExp, Carrier])[] = [
  [/fed\s?ex|federal\s?express/i, 'FedEx'],
  [/usps|postal service|post office/i, 'USPS'],
  [/dhl/i, 'DHL'],
  [/(?<![a-z])ups|united parcel/i, 'UPS'],
];

/** Products that only the postal service sells. Weaker than a number that says otherwise. */
const postalProduct = /first.?class|priority.?mail|^priority$/i;

/**
 * Where a shipment can be followed; null when the carrier is not sure. The carrier's name in the shipping method
 * decides, then the form of the number with its check digit.
 */
export function trackingLink(method: string, number: string): TrackingLink | null {
  const compact = number.replaceAll(/[\s-]/g, '').toUpperCase();
  if (!/^[0-9A-Z]{6,40}$/.test(compact)) return null;
  const carrier =
    named.find(([name]) => name.test(method))?.[1] ??
    carrierOfForm(compact) ??
    (postalProduct.test(method.trim()) ? 'USPS' : null);
  return carrier && { carrier, url: pages[carrier] + encodeURIComponent(compact) };
}

/** How a shipment travels: the end of a sentence about it, its facts, and where it can be followed. */
export function shipmentOf({ shippingMethod, trackingNumber, callbackAt }: ShippingEvent) {
  const tracking = trackingLink(shippingMethod, trackingNumber);
  const method = escapeUntrusted(shippingMethod, 60);
  const number = escapeUntrusted(trackingNumber, 60);
  const facts: readonly Field[] = [
    ['Shipping method', method],
    ['Tracking number', tracking === null ? number : link(tracking.url, trackingNumber.slice(0, 60))],
    ['Shipped', dateToken(callbackAt)],
  ];
  return { tracking, facts, how: `${method && ` with ${method}`}${number && `, tracking number ${number}`}` };
}

/** Null where the carrier is not sure. */
export function trackButton(tracking: TrackingLink | null, card: CardFacts): Button | null {
  if (tracking === null) return null;
  const { carrier, url } = tracking;
  const label = `Track ${cardOfHolderRaw(card)} with ${carrier}`;
  return button({ text: `Track with ${carrier}`, action: actionId.trackShipment, url, label });
}
