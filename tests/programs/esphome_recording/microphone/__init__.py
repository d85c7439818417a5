"""A microphone that plays a file: ESPHome imports this module, which is no part of tinyml."""
# pyright: basic, reportMissingImports=false

import esphome.codegen as cg
import esphome.config_validation as cv
from esphome.components import audio, microphone
from esphome.const import CONF_FILE, CONF_ID

Recording = cg.esphome_ns.namespace("esphome_recording").class_("Recording", microphone.Microphone, cg.Component)


def _limits(config):
    bits = {"min_bits_per_sample": 16, "max_bits_per_sample": 16}
    audio.set_stream_limits(**bits, min_channels=1, max_channels=1, min_sample_rate=16000, max_sample_rate=16000)(
        config
    )
    return config


CONFIG_SCHEMA = cv.All(
    microphone.MICROPHONE_SCHEMA.extend(
        {cv.GenerateID(): cv.declare_id(Recording), cv.Required(CONF_FILE): cv.string}
    ).extend(cv.COMPONENT_SCHEMA),
    _limits,
)


async def to_code(config):
    recording = cg.new_Pvariable(config[CONF_ID], config[CONF_FILE])
    await cg.register_component(recording, config)
    await microphone.register_microphone(recording, config)
