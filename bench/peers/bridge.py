"""A bridge from MQTT to PostgreSQL as people write it: paho-mqtt and psycopg2, a persistent session, QoS 1.

bridge.py PORT DATABASE_URL TABLE batches|each

batches: inserts what has arrived every 20 ms. It acknowledges after the commit if paho-mqtt can (2.0 and later); an earlier
paho-mqtt acknowledges as soon as the message has been handed over.
each: inserts and commits each message before it returns to paho-mqtt, which acknowledges it then.
"""
import inspect
import json
import sys
import threading
import time

import paho.mqtt.client as mqtt
import psycopg2
from psycopg2.extras import execute_values

PORT, DATABASE_URL, TABLE, MODE = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
FLUSH_SECONDS = 0.02
CAN_ACKNOWLEDGE = "manual_ack" in inspect.signature(mqtt.Client.__init__).parameters

database = psycopg2.connect(DATABASE_URL)
waiting = []
lock = threading.Lock()


def insert(rows):
    with database, database.cursor() as cursor:
        execute_values(
            cursor, f"INSERT INTO {TABLE} (device, time, energy_total_kwh) VALUES %s", rows, page_size=len(rows)
        )


def row_of(message):
    reading = json.loads(message.payload)
    return (message.topic.split("/")[2], reading["ts"], reading["energy_total_kwh"])


def on_connect(client, *_):
    client.subscribe("energy/v1/+/readings", qos=1)


def on_message(_client, _userdata, message):
    if MODE == "each":
        insert([row_of(message)])
        return
    with lock:
        waiting.append((message.mid, row_of(message)))


options = {"client_id": f"bridge-{MODE}", "clean_session": False}
if CAN_ACKNOWLEDGE:
    options.update(callback_api_version=mqtt.CallbackAPIVersion.VERSION2, manual_ack=MODE == "batches")
client = mqtt.Client(**options)
client.on_connect = on_connect
client.on_message = on_message
client.connect("127.0.0.1", PORT)

if MODE == "each":
    client.loop_forever()
client.loop_start()
while True:
    time.sleep(FLUSH_SECONDS)
    with lock:
        batch, waiting = waiting, []
    if not batch:
        continue
    insert([row for _, row in batch])
    if CAN_ACKNOWLEDGE:
        for mid, _ in batch:
            client.ack(mid, 1)
