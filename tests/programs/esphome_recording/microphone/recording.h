/* A microphone that plays a file, 30 ms in each iteration of the main loop, and ends the program after it. */
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "esphome/components/microphone/microphone.h"
#include "esphome/core/component.h"

namespace esphome::esphome_recording {

class Recording : public microphone::Microphone, public Component {
 public:
    explicit Recording(const char *file) : file_(std::fopen(file, "rb")) {}
    void start() override { this->state_ = microphone::STATE_RUNNING; }
    void stop() override { this->state_ = microphone::STATE_STOPPED; }
    void loop() override
    {
        if (this->ends_) {
            std::fflush(stdout);
            std::_Exit(0);
        }
        std::vector<uint8_t> data(960);
        data.resize(std::fread(data.data(), 1, data.size(), this->file_));
        this->data_callbacks_.call(data);
        this->ends_ = data.empty();
    }

 protected:
    std::FILE *file_;
    bool ends_{false};
};

}  // namespace esphome::esphome_recording
