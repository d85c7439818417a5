/* The library ESP_I2S of ESP32's Arduino package, for tests: the samples of a microphone are the readings of pin A0. */
#ifndef TEST_ESP_I2S_H
#define TEST_ESP_I2S_H

#include <Arduino.h>

enum i2s_mode_t { I2S_MODE_STD };
enum i2s_data_bit_width_t { I2S_DATA_BIT_WIDTH_16BIT = 16 };
enum i2s_slot_mode_t { I2S_SLOT_MODE_MONO = 1 };
enum i2s_std_slot_mask_t : int8_t { I2S_STD_SLOT_LEFT = 1 };

class I2SClass {
public:
    void setPins(int8_t bclk, int8_t ws, int8_t dout, int8_t din = -1, int8_t mclk = -1)
    {
        connected = bclk >= 0 && ws >= 0 && dout < 0 && din >= 0 && mclk < 0;
    }

    bool begin(i2s_mode_t, uint32_t rate, i2s_data_bit_width_t, i2s_slot_mode_t, int8_t slot_mask = -1)
    {
        return begun = connected && rate == 16000 && slot_mask == I2S_STD_SLOT_LEFT;
    }

    size_t readBytes(char *buffer, size_t size)
    {
        for (size_t i = 0; begun && i < size / 2; i++) {
            const int16_t sample = (int16_t)analogRead(A0);
            memcpy(buffer + 2 * i, &sample, 2);
        }
        return begun ? size : 0;
    }

private:
    bool connected = false, begun = false;
};

#endif
